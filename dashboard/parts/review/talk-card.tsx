import type { ReactNode } from 'react'
import type { RemarkAnswer } from '../../../src/api/remarks.ts'
import type { Finding } from '../../../src/api/stories.ts'
import { href } from '../../router.ts'
import { stateLabel } from '../../state-family.ts'
import { AcceptButton } from '../accept-button.tsx'
import { Copy } from '../copy.tsx'
import { forOperators } from '../for-operators.tsx'
import { Markdown } from '../markdown.tsx'
import { Preformatted } from '../preformatted.tsx'
import { linesText, type Placement } from './anchor.ts'
import { Composer } from './composer.tsx'
import type { Draft, DraftReview } from './draft-review.ts'
import { Said } from './said.tsx'
import type { PlacedTalk } from './talk.ts'

export interface About {
  readonly run: string
  /** Null for everything that a Run has merged. */
  readonly story: string | null
  readonly review: DraftReview
}

interface Props extends About {
  readonly placed: PlacedTalk
  /** Shows lines that the diff omits. */
  readonly show: (() => void) | null
  /** Called when a draft is closed. */
  readonly closed: () => void
}

/** A comment or finding, at its lines or beside its file. */
export function TalkCard({ placed: { talk, place }, show, closed, ...about }: Props) {
  const where = <Where talk={talk} place={place} show={show} />
  switch (talk.kind) {
    case 'remark':
      return (
        <RemarkCard
          key={talk.key}
          remark={talk.remark}
          where={where}
          about={about}
          answer={() => about.review.begin(talk.anchor, talk.remark.id ?? undefined)}
        >
          <Replies replies={talk.replies} about={about}>
            {talk.drafts.map((draft) => (
              <OwnDraft key={draft.key} draft={draft} review={about.review} where={null} closed={closed} />
            ))}
          </Replies>
        </RemarkCard>
      )
    case 'finding':
      return <FindingCard finding={talk.finding} where={where} about={about} />
    case 'draft':
      return (
        <OwnDraft
          {...{ draft: talk.draft, review: about.review, where, closed }}
          {...(place.at === 'file' && { isWhole: true })}
        />
      )
    default:
      throw new Error(`unknown talk ${talk satisfies never}`)
  }
}

interface OwnDraftProps extends DraftProps, Pick<Props, 'closed'> {
  readonly isWhole?: boolean
}

/** The reader's own comment, as an editor while it is being written and as a card afterwards. */
function OwnDraft({ draft, review, where, closed, isWhole = false }: OwnDraftProps) {
  if (!draft.isOpen) return <DraftCard draft={draft} review={review} where={where} />
  return (
    <>
      {!isWhole && where}
      <Composer draft={draft} review={review} closed={closed} />
    </>
  )
}

interface RepliesProps {
  readonly replies: readonly RemarkAnswer[]
  readonly about: About
  readonly children?: ReactNode
}

/** The rest of a thread, below what began it. */
export function Replies({ replies, about, children }: RepliesProps) {
  return (
    <div className="thread-replies">
      {replies.map((reply) => (
        <RemarkCard key={reply.key} remark={reply} where={null} about={about} />
      ))}
      {children}
    </div>
  )
}

interface WhereProps extends Pick<Props, 'show'> {
  readonly talk: PlacedTalk['talk']
  readonly place: Placement
}

/** Empty for a comment right below its lines. */
function Where({ talk: { anchor }, place, show }: WhereProps) {
  if (anchor.path === null || (place.at === 'lines' && place.start === anchor.start)) return null
  if (place.at === 'file') return <p className="where">On the whole file</p>
  if (place.at === 'lines') return <p className="where">Was {linesText(anchor)}</p>
  if (place.at === 'hidden') {
    return (
      <p className="where">
        On {linesText(anchor)}, not among the lines shown
        {show !== null && (
          <button type="button" className="link" onClick={show}>
            Show in the diff
          </button>
        )}
      </p>
    )
  }
  if (place.isGone) {
    return (
      <p className="where">
        On {linesText(anchor)} of <code>{anchor.path}</code>, which this diff does not show
      </p>
    )
  }
  return (
    <div className="where">
      <p>
        <span className="pill waiting">Outdated</span> On {linesText(anchor)}, which changed since
      </p>
      {anchor.hunk !== null && <Before hunk={anchor.hunk} />}
    </div>
  )
}

/** The lines at the time of the comment. */
function Before({ hunk }: { readonly hunk: string }) {
  const lines = hunk.split('\n').slice(-8)
  return (
    <pre className="before">
      {lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines that never change have no other name
        <span key={i} className={line.startsWith('+') ? 'insert' : line.startsWith('-') ? 'delete' : ''}>
          {line.slice(0, 300)}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

const families = {
  OPEN: 'building',
  ANSWERED: 'attention',
  SETTLED: 'done',
  ACCEPTED: 'waiting',
  STUCK: 'attention',
  REFUSED: 'attention',
} as const

interface CardProps {
  readonly where: ReactNode
  readonly about: About
}

interface RemarkProps extends CardProps {
  readonly remark: RemarkAnswer
  /** Begins a reply in its thread; left out where none can be made. */
  readonly answer?: () => void
  /** The replies to it. */
  readonly children?: ReactNode
}

export function RemarkCard({ remark, where, about, answer, children }: RemarkProps) {
  const { id, author, source, state, text, reply, commit, follow_up } = remark
  const canAccept = id !== null && (state === 'OPEN' || state === 'ANSWERED' || state === 'STUCK')
  return (
    <article className="talk" aria-label={`Comment ${id ?? ''} by ${author}`}>
      <header className="row">
        <span className={`pill ${families[state]}`} data-remark-state={state}>
          {id === null ? 'Sent' : stateLabel(state)}
        </span>
        <strong>{author}</strong>
        {source !== 'the dashboard' && <span className="sub">from {source}</span>}
        {id !== null && <Id id={id} about={about} story={remark.story} />}
      </header>
      {where}
      <Said text={text} />
      {reply !== null && (
        <div className="said-answer">
          <strong>{state === 'REFUSED' ? 'Drydock' : 'The editor'}</strong>
          <Said text={reply} />
        </div>
      )}
      {(commit !== null || follow_up !== null || canAccept || (id !== null && answer)) && (
        <footer className="row said-foot">
          {commit !== null && (
            <span className="row sub">
              Settled by <Copy text={commit} shown={commit.slice(0, 10)} />
            </span>
          )}
          {follow_up !== null && (
            <a href={href('runs', follow_up.run)}>
              {state === 'OPEN' ? 'Worked on by the run that follows' : 'The run that worked on it'}
            </a>
          )}
          {id !== null && answer !== undefined && <AnswerButton answer={answer} id={id} />}
          {canAccept && <AcceptButton run={about.run} story={null} id={id} />}
        </footer>
      )}
      {children}
    </article>
  )
}

const AnswerButton = forOperators(function AnswerButton({
  answer,
  id,
}: {
  readonly answer: () => void
  readonly id: string
}) {
  return (
    <button type="button" className="button" onClick={answer}>
      Reply<span className="visually-hidden"> to {id}</span>
    </button>
  )
})

const fates = { open: 'attention', closed: 'done', accepted: 'waiting' } as const
const fateWords = { open: 'Open', closed: 'Settled', accepted: 'Accepted' } as const

function FindingCard({ finding, where, about }: CardProps & { readonly finding: Finding }) {
  const { id, severity, claim, evidence, state, by, author } = finding
  const who = by === 'gate' ? 'The gate' : by === 'person' ? (author ?? 'A person') : 'The architect'
  return (
    <article className="talk" aria-label={`Finding ${id}`}>
      <header className="row">
        <span className={`pill ${fates[state]}`}>{fateWords[state]}</span>
        <strong>{who}</strong>
        <span className="sub">{severity}</span>
        <Id id={id} about={about} story={about.story} />
      </header>
      {where}
      <Markdown text={claim} />
      {evidence !== '' && (
        <details>
          <summary>Evidence</summary>
          <Preformatted label="Evidence">{evidence}</Preformatted>
        </details>
      )}
    </article>
  )
}

/** Links the id to the list of all findings, and back from there. */
function Id({ id, about, story }: { readonly id: string; readonly about: About; readonly story: string | null }) {
  const of = about.story ?? story
  if (of === null) return <code className="spread">{id}</code>
  return (
    <a
      className="spread"
      href={href('runs', about.run, 'stories', of, 'reviews', id)}
      title="See it among all findings"
    >
      <code>{id}</code>
    </a>
  )
}

interface DraftProps {
  readonly draft: Draft
  readonly review: DraftReview
  readonly where: ReactNode
}

function DraftCard({ draft, review, where }: DraftProps) {
  return (
    <article className="talk draft" aria-label="Comment not sent yet">
      <header className="row">
        <span className="pill planning">Not sent yet</span>
        <span className="row spread">
          <button type="button" className="link" onClick={() => review.edit(draft.key)}>
            Edit
          </button>
          <button type="button" className="link" onClick={() => review.remove(draft.key)}>
            Delete
          </button>
        </span>
      </header>
      {where}
      <Said text={review.textOf(draft.key)} />
    </article>
  )
}
