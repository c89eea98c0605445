import type { Finish } from '../../../src/api/finish.ts'
import { plural } from '../../figures-text.ts'
import { AcceptButton } from '../../parts/accept-button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Preformatted } from '../../parts/preformatted.tsx'
import { href } from '../../router.ts'

type Hold = Finish['verdict']['holds'][number]

interface Props {
  /** The Run of this page. */
  readonly here: string
  readonly run: string
  readonly holds: readonly Hold[]
}

/** Unsettled comments, and follow-ups that will add to the branch. */
export function HoldingComments({ here, run, holds }: Props) {
  const comments = holds.filter(({ kind }) => kind === 'comment')
  const head =
    comments.length === 0
      ? plural(holds.length, 'follow-up holds it', 'follow-ups hold it')
      : plural(comments.length, 'comment holds it', 'comments hold it')
  return (
    <div className="finish-section finish-held">
      <h3>{head}</h3>
      <p className="sub">
        It lands once each comment is settled by a verified commit, or you have accepted the result as it is.{' '}
        <a href={href('runs', run, 'diff')}>Comment again</a> to have more done.
      </p>
      <ul className="finish-findings">
        {holds.map((hold) => (
          <li key={`${hold.run} ${hold.id} ${hold.text}`}>
            {hold.kind === 'comment' ? <Comment hold={hold} here={here} about={run} /> : <FollowUp hold={hold} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Comment({ hold, here, about }: { readonly hold: Hold; readonly here: string; readonly about: string }) {
  const { id, run, story, by, place, text, why, follow_up: followUp } = hold
  const lines = story === null ? ['diff'] : ['stories', story, 'diff']
  return (
    <>
      <div className="grow">
        <p className="row">
          <strong>{by}</strong>
          {place !== '' && (
            <a href={href('runs', about, ...lines, ...(id === null ? [] : [id]))} title="See it in the diff">
              <code>{place}</code>
            </a>
          )}
          {id !== null && <code className="sub">{id}</code>}
        </p>
        <Preformatted label={`The comment of ${by}`}>{text}</Preformatted>
        <p className="sub">
          {why}{' '}
          {followUp !== null && followUp.run !== here && <a href={href('runs', followUp.run)}>See the follow-up</a>}
        </p>
      </div>
      {id !== null && (
        <div className="finish-do">
          <AcceptButton run={run} story={null} id={id} />
        </div>
      )}
    </>
  )
}

function FollowUp({ hold: { run, why, command } }: { readonly hold: Hold }) {
  return (
    <div className="grow">
      <p>
        <a href={href('runs', run)}>{run}</a> {why}
      </p>
      {command !== null && <Copy text={command} />}
    </div>
  )
}
