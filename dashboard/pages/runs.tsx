import type { RunLine, RunList } from '../../src/api/runs.ts'
import { count, plural } from '../figures-text.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty } from '../parts/notice.tsx'
import { Pill } from '../parts/pill.tsx'
import { Question } from '../parts/question.tsx'
import { Cost } from '../parts/spending.tsx'
import { Age, Time } from '../parts/time.tsx'
import { href } from '../router.ts'
import { badgeOf } from '../state-family.ts'

/** All Runs of this repository, newest first, below what they ask. */
export function Runs({ list }: { readonly list: RunList }) {
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>Runs</h1>
          <p className="sub mono">{list.repository}</p>
        </div>
        {list.runs.length > 0 && (
          <a className="button primary" href={href('start')}>
            <Icon name="start" />
            Start
          </a>
        )}
      </header>
      {list.escalations.map((asked) => (
        <Question key={asked.id} asked={asked} />
      ))}
      {list.runs.length === 0 ? (
        <Empty icon="board" title="Nothing has been built here yet">
          <p>Give the crew a spec, or one editor a task, here or in a terminal:</p>
          <code>drydock run spec.md</code>
          <a className="button primary" href={href('start')}>
            Start something
          </a>
        </Empty>
      ) : (
        <ul className="run-list">
          {list.runs.map((run) => (
            <li key={run.run}>
              <Line run={run} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const kinds = {
  spec: 'Spec',
  interview: 'Interview',
  task: 'Task',
  verify: 'Verification',
  scout: 'Question to a scout',
} as const

function Line({ run }: { readonly run: RunLine }) {
  const { total, done } = run.stories
  return (
    <a className="run-line" href={href('runs', run.run)} data-item>
      <span className="run-line-title">
        <strong>{run.title}</strong>
        <span className="sub">
          {kinds[run.kind]} · <Time at={run.started_at} />
          {run.branch !== null && <> · {run.branch}</>}
        </span>
      </span>
      <span className="row">
        {run.escalations > 0 && <span className="badge">{plural(run.escalations, 'question')}</span>}
        <Pill state={badgeOf(run)} label={run.outcome.label} title={run.outcome.sentence} />
      </span>
      <span className="run-line-figures">
        <span>{total > 1 && `${done} of ${total} stories`}</span>
        <span>
          <Cost of={run.spending} />
        </span>
        <span>{count(run.spending.tokens)} tokens</span>
        <span>
          <Age since={run.started_at} until={run.ended_at} />
        </span>
      </span>
    </a>
  )
}
