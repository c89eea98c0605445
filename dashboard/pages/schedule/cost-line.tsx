import type { ScaleTime } from 'd3-scale'
import type { Schedule } from '../../../src/api/schedule.ts'
import { money } from '../../figures-text.ts'
import { Cost } from '../../parts/spending.tsx'
import { clock } from './phase-text.ts'

interface Props {
  readonly spending: Schedule['spending']
  /** The number of calls without a known price. */
  readonly unpriced: number
  readonly x: ScaleTime<number, number>
  readonly width: number
  readonly from: number
  readonly now: number
}

const height = 72

/** The cumulative cost of the Run, on the time axis of its stories. */
export function CostLine({ spending, unpriced, x, width, from, now }: Props) {
  const total = spending.at(-1)?.cost_usd ?? 0
  const y = (usd: number) => height - 4 - (total === 0 ? 0 : (usd / total) * (height - 14))
  const steps = spending.map(({ at, cost_usd }) => `H${x(Date.parse(at)).toFixed(1)}V${y(cost_usd).toFixed(1)}`)
  const line = `M${x(from)},${y(0)}${steps.join('')}H${x(now)}`
  return (
    <div className="gantt-cost">
      <span className="gantt-corner">
        Cost{' '}
        <strong>
          <Cost of={{ cost_usd: total, unpriced }} />
        </strong>
      </span>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`Cost over time: ${money(0)} at ${clock(from)}, ${unpriced > 0 ? 'at least ' : ''}${money(total)} at ${clock(now)}`}
      >
        <path className="area" d={`${line}V${y(0)}Z`} />
        <path className="line" d={line} />
      </svg>
    </div>
  )
}
