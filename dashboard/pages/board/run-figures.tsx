import type { RunDetail } from '../../../src/api/runs.ts'
import { formatCount, formatUsd } from '../../../src/domain/figures-text.ts'
import { Copy } from '../../parts/copy.tsx'
import { Cost } from '../../parts/spending.tsx'
import { Age } from '../../parts/time.tsx'

export function RunFigures({ detail }: { readonly detail: RunDetail }) {
  const { stories, spending, budget, started_at, ended_at, branch, repositories } = detail
  const done = stories.filter(({ state }) => state === 'DONE').length
  return (
    <dl className="stats">
      {detail.kind !== 'interview' && (
        <div>
          <dt>Stories done</dt>
          <dd>
            {done} <small>of {stories.length}</small>
          </dd>
          <Meter part={done} whole={stories.length} />
        </div>
      )}
      <div>
        <dt>Cost</dt>
        <dd>
          <Cost of={spending} /> {budget && <small>of {formatUsd(budget.run_usd)}</small>}
        </dd>
        {budget && <Meter part={budget.spent_usd} whole={budget.run_usd} limit />}
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>
          {formatCount(spending.tokens)} {budget && <small>of {formatCount(budget.run_tokens)}</small>}
        </dd>
        {budget && <Meter part={budget.spent_tokens} whole={budget.run_tokens} limit />}
      </div>
      <div>
        <dt>Calls</dt>
        <dd>
          {formatCount(spending.calls)} <small>models, {formatCount(spending.tool_calls)} tools</small>
        </dd>
      </div>
      <div>
        <dt>{ended_at === null ? 'Running for' : 'Ran for'}</dt>
        <dd>
          <Age since={started_at} until={ended_at} />
        </dd>
      </div>
      {branch !== null && (
        <div>
          <dt>Branch</dt>
          <dd className="small-value">
            <Copy text={branch} />
            {repositories.length > 0 && <small>in {landedIn(repositories)}</small>}
          </dd>
        </div>
      )}
    </dl>
  )
}

function landedIn(repositories: RunDetail['repositories']): string {
  return repositories
    .filter(({ branch }) => branch !== null)
    .map(({ name }) => name)
    .join(', ')
}

interface MeterProps {
  readonly part: number
  readonly whole: number
  /** True if the bar shows a limit, which should not be reached. */
  readonly limit?: boolean
}

/** Hidden from screen readers, since the numbers beside it say the same. */
function Meter({ part, whole, limit = false }: MeterProps) {
  const share = whole === 0 ? 0 : Math.min(1, part / whole)
  return (
    <div className={limit && share > 0.9 ? 'meter over' : 'meter'} aria-hidden="true">
      <span style={{ width: `${share * 100}%` }} />
    </div>
  )
}
