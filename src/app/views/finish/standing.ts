import type { Finish, Landing } from '../../../api/finish.ts'
import type { Landing as Stored } from '../../../domain/landing/landing.ts'

type LandingFacts = Pick<Landing, 'state' | 'goal' | 'branch'>

/** The place where a result has landed; null while it is only on its own branch. */
export function standing({
  landings,
  change,
}: Pick<Finish, 'change'> & { readonly landings: readonly LandingFacts[] }): string | null {
  const landed = landings.find(({ state }) => state === 'LANDED')
  if (change?.state === 'merged') return `Merged as change ${change.number}`
  if (change?.state === 'open' && landed?.goal !== 'onto') return `Change ${change.number} is open`
  return landed?.branch ? `Landed on ${landed.branch}` : null
}

export function toLanded({ state, data: { goal } }: Stored): LandingFacts {
  return { state, goal: goal.kind, branch: goal.kind === 'onto' ? goal.branch : null }
}
