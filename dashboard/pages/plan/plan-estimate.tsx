import type { Plan } from '../../../src/api/plan.ts'
import { money } from '../../figures-text.ts'

/** The expected cost of the stories that have not begun, derived from earlier ones. */
export function PlanEstimate({ estimate }: Pick<Plan, 'estimate'>) {
  if (estimate === null)
    return <p className="sub">No estimate yet: fewer than 5 stories with a known cost were built in this repository.</p>
  const { basis, total, stories } = estimate
  if (stories.length === 0) return null
  const rough = stories.some(({ any_size }) => any_size)
  return (
    <p className="sub">
      Estimate: about <strong>{money(total.median)}</strong>, mostly between {money(total.low)} and {money(total.high)}.
      From {basis} stories that were built in this repository
      {rough ? '; too few of the same size for some.' : ' and ask for as much.'}
    </p>
  )
}
