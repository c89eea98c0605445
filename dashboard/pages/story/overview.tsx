import type { ReactNode } from 'react'
import type { StoryDetail } from '../../../src/api/stories.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Lines, PlanText } from '../../parts/plan-text.tsx'
import { Time } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { stateLabel } from '../../state-family.ts'
import { Criteria } from './criteria.tsx'

/** The story's task, its plan and its result. */
export function Overview({ run, detail }: { readonly run: string; readonly detail: StoryDetail }) {
  return (
    <div className="two-columns">
      <div className="stack">
        {detail.stuck_report !== null && (
          <Card title="Why it is stuck">
            <Markdown text={detail.stuck_report} />
          </Card>
        )}
        {detail.summary !== null && (
          <Card title="Summary">
            <Markdown text={detail.summary.text} />
          </Card>
        )}
        <Card title="Task">
          <Markdown text={detail.content} />
          {detail.acceptance === null && <Lines title="Accepted when" lines={detail.acceptance_criteria} />}
          <Lines title="Must hold" lines={detail.constraints} />
          <Lines title="Left alone" lines={detail.non_goals} />
        </Card>
        {detail.acceptance !== null && (
          <Card title="Acceptance criteria">
            <Criteria detail={detail} acceptance={detail.acceptance} />
          </Card>
        )}
        <Card title="Plan">
          {detail.plan === null ? (
            <p className="sub">The editor has not planned yet.</p>
          ) : (
            <PlanText plan={detail.plan} />
          )}
          {detail.earlier_plans.length > 0 && (
            <details>
              <summary>
                {detail.earlier_plans.length === 1 ? 'The plan before' : `${detail.earlier_plans.length} plans before`}
              </summary>
              {detail.earlier_plans.map((plan, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: plans have no ids, and only ever come in front
                <PlanText key={detail.earlier_plans.length - i} plan={plan} />
              ))}
            </details>
          )}
        </Card>
      </div>
      <div className="stack">
        <Card title="Moves">
          <ol className="moves">
            {detail.transitions.map(({ id, from, to, event, at }) => (
              <li key={id}>
                <Pill state={to} title={`from ${stateLabel(from)}`} />
                <span className="sub">{event.replaceAll('_', ' ')}</span>
                <span className="spread sub">
                  <Time at={at} />
                </span>
              </li>
            ))}
          </ol>
          {detail.transitions.length === 0 && <p className="sub">It waits for its turn.</p>}
        </Card>
        <Related run={run} detail={detail} />
        {detail.hypotheses.length > 0 && (
          <Card title="Hypotheses">
            <Lines lines={detail.hypotheses} />
          </Card>
        )}
        {detail.context_files.length > 0 && (
          <Card title="Context files">
            {detail.context_files.map(({ n, milestone, content }) => (
              <details key={n}>
                <summary>
                  {n}. {milestone}
                </summary>
                <Markdown text={content} />
              </details>
            ))}
          </Card>
        )}
      </div>
    </div>
  )
}

function Related({ run, detail }: { readonly run: string; readonly detail: StoryDetail }) {
  const both = [
    ['Needs', detail.depends_on],
    ['Needed by', detail.dependents],
  ] as const
  if (both.every(([, ids]) => ids.length === 0)) return null
  return (
    <Card title="Dependencies">
      <dl className="facts">
        {both
          .filter(([, ids]) => ids.length > 0)
          .map(([title, ids]) => (
            <div key={title} className="fact">
              <dt>{title}</dt>
              <dd className="row">
                {ids.map((id) => (
                  <a key={id} className="mono" href={href('runs', run, 'stories', id)}>
                    {id}
                  </a>
                ))}
              </dd>
            </div>
          ))}
      </dl>
    </Card>
  )
}

export function Card({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="card">
      <div className="card-head">
        <h2>{title}</h2>
      </div>
      <div className="card-body">{children}</div>
    </section>
  )
}
