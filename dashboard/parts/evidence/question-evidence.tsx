import { type ReactNode, useState } from 'react'
import type { StoryDetail } from '../../../src/api/stories.ts'
import { useStory, useVerification } from '../../data/queries.ts'
import { plural } from '../../figures-text.ts'
import { InlineCode } from '../inline-code.tsx'
import { Loaded } from '../loaded.tsx'
import { LogView } from '../log-view.tsx'
import { Preformatted } from '../preformatted.tsx'
import { ReviewPanel } from '../review/review-panel.tsx'
import './evidence.css'

/** What an answer rests on, beside the question: looked at here, without leaving half an answer. */
export function QuestionEvidence({ run, story }: { readonly run: string; readonly story: string }) {
  const { data } = useStory(run, story)
  if (data === undefined) return null
  const failed = data.runs.findLast(({ status }) => status === 'FAIL') ?? null
  const findings = data.reviews.flatMap((review) => review.findings).filter(({ state }) => state === 'open')
  // Those that the question itself is about are decided about beside it.
  const others = data.state === 'ESCALATED' ? findings.filter(({ severity }) => severity === 'minor') : findings
  if (failed === null && others.length === 0 && data.snapshot === null) return null
  return (
    <div className="question-evidence">
      {failed !== null && (
        <Part title="The failing log">
          <FailingLog id={failed.run_id} />
        </Part>
      )}
      {data.snapshot !== null && (
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

/** What it shows is asked for when it is opened. */
function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div className="evidence-part">{children}</div>}
    </details>
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
