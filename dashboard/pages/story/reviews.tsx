import type { RemarkAnswer } from '../../../src/api/remarks.ts'
import type { Finding, Review, StoryDetail, StoryRequest } from '../../../src/api/stories.ts'
import { remarksAbout, useRemarks } from '../../data/remarks.ts'
import { AcceptButton } from '../../parts/accept-button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Preformatted } from '../../parts/preformatted.tsx'
import { RemarkList } from '../../parts/review/remark-list.tsx'
import { useNamed } from '../../parts/review/use-named.ts'
import { href } from '../../router.ts'
import { ended, stateLabel } from '../../state-family.ts'

/** Findings with their states, then every review round, newest first. */
export function Reviews({ detail, focus }: { readonly detail: StoryDetail; readonly focus: string | null }) {
  const { reviews, requests } = detail
  const { data } = useRemarks(detail.run)
  const remarks = remarksAbout(data?.remarks, { run: detail.run, story: detail.id })
  const named = useNamed(focus)
  const isTask = requests.length === 0 && detail.state === 'DONE'
  const isOpen = requests.length > 0 && !ended.includes(detail.state)
  if (requests.length === 0 && remarks.length === 0 && reviews.every(({ findings }) => findings.length === 0)) {
    return (
      <Empty icon="chat" title="The architect has not been asked yet">
        <p>Reviews of plans and changes appear here, round by round, with the state of each finding.</p>
      </Empty>
    )
  }
  return (
    <div className="stack" ref={named}>
      <RemarkList run={detail.run} story={detail.id} remarks={remarks} focus={focus} />
      {withoutComments(reviews, remarks)
        .filter(({ findings }) => findings.length > 0)
        .map((review) => (
          <section key={review.kind} className="card">
            <div className="card-head">
              <h2>Findings on the {review.kind}</h2>
              <span className="sub spread">{returns(review)}</span>
            </div>
            <ul className="findings">
              {review.findings.map((finding) => (
                <li key={finding.id} tabIndex={-1} data-finding={finding.id} aria-current={finding.id === focus}>
                  <FindingView finding={finding} detail={detail} canAccept={isTask || isOpen} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      {requests.toReversed().map((request) => (
        <Round key={request.id} request={request} />
      ))}
    </div>
  )
}

/** People's comments are listed separately, with their results. */
function withoutComments(reviews: readonly Review[], remarks: readonly RemarkAnswer[]): readonly Review[] {
  const own = new Set(remarks.map(({ id }) => id))
  return reviews.map((review) => ({ ...review, findings: review.findings.filter(({ id }) => !own.has(id)) }))
}

/** The number of times it was sent back, and the limit after which a person is asked. */
function returns({ returned, most_returned: most, sent_back, humans_asked }: Review): string {
  if (sent_back === 0) return 'not sent back'
  if (humans_asked === 0) return returned > 0 ? `sent back ${returned} of ${most}` : `sent back ${times(sent_back)}`
  if (sent_back === most) return `sent back ${most} of ${most}, then a human was asked`
  return `sent back ${times(sent_back)}, a human was asked ${times(humans_asked)}`
}

function times(n: number): string {
  return n === 1 ? 'once' : `${n} times`
}

const fates = { open: 'attention', closed: 'done', accepted: 'waiting' } as const

interface FindingProps {
  readonly finding: Finding
  readonly detail: StoryDetail
  readonly canAccept: boolean
}

function FindingView({ finding, detail, canAccept }: FindingProps) {
  const { id, severity, file, line, claim, evidence, state, round, by, accepted_by, accepter } = finding
  return (
    <>
      <p className="row">
        <span className={`pill ${fates[state]}`}>{accepted_by ? `accepted by ${accepter ?? 'you'}` : state}</span>
        <strong>{severity}</strong>
        {by === 'gate' && <span className="sub">of the gate</span>}
        {file !== '' && (
          <a href={href('runs', detail.run, 'stories', detail.id, 'diff', id)} title="See it in the diff">
            <code>
              {file}
              {line !== undefined && `:${line}`}
            </code>
          </a>
        )}
        <span className="sub spread">
          <code>{id}</code>, round {round}
        </span>
      </p>
      <Markdown text={claim} />
      {evidence !== '' && <Preformatted label="Evidence">{evidence}</Preformatted>}
      {canAccept && state === 'open' && (
        <AcceptButton run={detail.run} story={detail.requests.length === 0 ? null : detail.id} id={id} />
      )}
    </>
  )
}

const titles = {
  question: 'Question',
  plan: 'Plan review',
  code: 'Code review',
  completion: 'Completion review',
  budget: 'Budget review',
  acceptance: 'Acceptance tests',
} as const

function Round({ request }: { readonly request: StoryRequest }) {
  const { kind, round, state, verdict, response, sha } = request
  return (
    <section className="card">
      <div className="card-head">
        <h2>
          {titles[kind]} {round}
        </h2>
        <Pill state={verdict ?? state} title={stateLabel(state)} />
        <span className="spread">
          <Copy text={sha} shown={sha.slice(0, 10)} />
        </span>
      </div>
      <div className="card-body">
        {response === null ? <p className="sub">The architect has not answered yet.</p> : <Markdown text={response} />}
      </div>
    </section>
  )
}
