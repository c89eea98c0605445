import type { RunDetail } from '../../../src/api/runs.ts'
import { count, duration, plural } from '../../figures-text.ts'
import { Cost } from '../../parts/spending.tsx'
import type { LaneAt, RunAt } from './run-at.ts'

/** The Run's progress and usage until then. */
export function PastFigures({ detail, now }: { readonly detail: RunDetail; readonly now: RunAt }) {
  const { stories, tokens, calls, moment } = now
  const done = stories.filter(({ state }) => state === 'DONE').length
  const since = Math.max(0, Date.parse(moment.at) - Date.parse(detail.started_at))
  return (
    <dl className="stats">
      <div>
        <dt>Stories done</dt>
        <dd>
          {done} <small>of {stories.length}</small>
        </dd>
      </div>
      <div>
        <dt>Cost until then</dt>
        <dd>
          <Cost of={now} />{' '}
          <small>
            of <Cost of={detail.spending} /> in all
          </small>
        </dd>
      </div>
      <div>
        <dt>Tokens until then</dt>
        <dd>{count(tokens)}</dd>
      </div>
      <div>
        <dt>Calls of models</dt>
        <dd>{count(calls)}</dd>
      </div>
      <div>
        <dt>After the start</dt>
        <dd>{duration(since)}</dd>
      </div>
    </dl>
  )
}

/** The last completed and the current activity of each conversation. */
export function PastLanes({ lanes, moment }: Pick<RunAt, 'lanes' | 'moment'>) {
  return (
    <section className="card past-lanes" aria-label="Conversations at that moment">
      <div className="card-head">
        <h2>At work</h2>
        <span className="sub">{plural(lanes.length, 'conversation')}</span>
      </div>
      {lanes.length === 0 ? (
        <p className="card-body sub">No conversation with a model went on at that moment.</p>
      ) : (
        <ul>
          {lanes.map((lane) => (
            <Lane key={lane.lane} lane={lane} at={moment.at} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Lane({ lane: { lane, last, next }, at }: { readonly lane: LaneAt; readonly at: string }) {
  return (
    <li className="past-lane">
      <code>{lane}</code>
      <span>{last.what}</span>
      <span className="sub">
        {next === null ? 'This was its end.' : `${duration(Date.parse(next.at) - Date.parse(at))} later: ${next.what}`}
      </span>
    </li>
  )
}
