import { type ReactNode, useState } from 'react'
import type { Escalation } from '../../../src/api/chat.ts'
import type { StoryDetail } from '../../../src/api/stories.ts'
import { useStory, useVerification } from '../../data/queries.ts'
import { plural } from '../../figures-text.ts'
import { InlineCode } from '../inline-code.tsx'
import { Loaded } from '../loaded.tsx'
import { LogView } from '../log-view.tsx'
import { PlanText } from '../plan-text.tsx'
import { Preformatted } from '../preformatted.tsx'
import { ReviewPanel } from '../review/review-panel.tsx'
import './evidence.css'

/**
 * The evidence for an answer, beside the question, so that nobody has to leave a half-written
 * answer.
 */
export function QuestionEvidence({ asked, story }: { readonly asked: Escalation; readonly story: string }) {
  const { run, decisions } = asked
  const { data } = useStory(run, story)
  if (data === undefined) return null
  const failed = data.runs.findLast(({ status }) => status === 'FAIL') ?? null
  const findings = data.reviews.flatMap((review) => review.findings).filter(({ state }) => state === 'open')
  // The question's own findings are decided beside it.
  const others = data.state === 'ESCALATED' ? findings.filter(({ severity }) => severity === 'minor') : findings
  // A plan is reviewed before any code is written.
  const isAboutPlan = decisions.includes('approve')
  const plan = isAboutPlan ? data.plan : null
  const hasDiff = data.snapshot !== null && !isAboutPlan
  if (plan === null && failed === null && others.length === 0 && !hasDiff) return null
  return (
    <div className="question-evidence">
      {plan !== null && (
        <section className="question-plan" aria-label="The plan">
          <h3>The plan</h3>
          <PlanText plan={plan} />
        </section>
      )}
      {failed !== null && <FailingTests id={failed.run_id} />}
      {failed !== null && (
        <Part title="The failing log">
          <FailingLog id={failed.run_id} />
        </Part>
      )}
      {hasDiff && (
        <Part title="The diff">
          <Changes run={run} detail={data} />
        </Part>
      )}
      {others.length > 0 && (
        <Part title={plural(others.length, 'open finding')}>
          <ul className="bullets">
            {others.map(({ id, severity, file, line, claim, evidence }) => (
              <li key={id}>
                <strong>{severity}</strong>{' '}
                <code>
                  {file}
                  {line !== undefined && `:${line}`}
                </code>{' '}
                <InlineCode text={claim} />
                {evidence !== '' && <Preformatted label="Evidence">{evidence}</Preformatted>}
              </li>
            ))}
          </ul>
        </Part>
      )}
    </div>
  )
}

/** The content is fetched when the part is opened. */
function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div className="evidence-part">{children}</div>}
    </details>
  )
}

/** The most failing tests that are named here; the log has the others. */
const namedTests = 10

function FailingTests({ id }: { readonly id: string }) {
  const { data } = useVerification(id)
  const failing = data?.manifest?.failing ?? []
  if (failing.length === 0) return null
  return (
    <section aria-label="Failing tests">
      <h3>{plural(failing.length, 'failing test')}</h3>
      <ul className="bullets">
        {failing.slice(0, namedTests).map((test) => (
          <li key={test}>
            <code>{test}</code>
          </li>
        ))}
        {failing.length > namedTests && <li className="sub">and {failing.length - namedTests} more, in the log</li>}
      </ul>
    </section>
  )
}

function FailingLog({ id }: { readonly id: string }) {
  return (
    <Loaded query={useVerification(id)} what="the log">
      {({ tail }) => <LogView text={tail ?? ''} label={id} />}
    </Loaded>
  )
}

function Changes({ run, detail }: { readonly run: string; readonly detail: StoryDetail }) {
  const { id, sha } = detail
  return (
    <ReviewPanel
      {...{ run, story: id, version: sha, versions: [], findings: [], focus: null }}
      empty="Nothing was written."
    />
  )
}
