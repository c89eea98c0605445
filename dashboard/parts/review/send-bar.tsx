import type { NewRemarkInput } from '../../../src/api/remarks.ts'
import { useSubmitReview } from '../../data/remarks.ts'
import { plural } from '../../figures-text.ts'
import { forOperators } from '../for-operators.tsx'
import { Problem } from '../notice.tsx'
import { type Draft, type DraftReview, useDrafts } from './draft-review.ts'
import { remarkOf } from './remark-of.ts'
import { reviewLimits } from './review-limits.ts'
import { draftsOf, type PlacedTalk } from './talk.ts'

interface Props {
  readonly run: string
  readonly story: string | null
  /** The shown commit. */
  readonly sha: string | null
  readonly review: DraftReview
  /** The current position of each comment. */
  readonly placed: readonly PlacedTalk[]
  readonly go: (key: string) => void
}

/** Sends all written comments together. */
export const SendBar = forOperators(function SendBar({ run, story, sha, review, placed, go }: Props) {
  const drafts = useDrafts(review).filter(({ hasText }) => hasText)
  const submit = useSubmitReview()
  const tooLong = drafts.find(({ key }) => review.textOf(key).length > reviewLimits.textChars)
  const send = () => {
    if (submit.isPending) return
    if (tooLong !== undefined) return go(`draft ${tooLong.key}`)
    const places = new Map(placed.flatMap(({ talk, place }) => draftsOf(talk).map(({ key }) => [key, place] as const)))
    const remarks = drafts.flatMap((draft) => {
      const place = places.get(draft.key)
      return place ? [{ ...remarkOf(draft, place, review.textOf(draft.key)), ...replyOf(draft), key: draft.key }] : []
    })
    const batch = batchOf(remarks)
    submit.mutate(
      { run, ...(story !== null && { story }), ...(sha !== null && { sha }), remarks: batch },
      { onSuccess: () => review.clear(batch.map(({ key }) => key)) },
    )
  }
  if (drafts.length === 0 && !submit.isSuccess) return null
  return (
    <section className="send-bar" aria-label="Your review">
      {drafts.length > 0 ? (
        <>
          <p>
            <strong>{plural(drafts.length, 'comment')}</strong> not sent yet
          </p>
          <div className="row spread">
            {drafts[0] && (
              <button type="button" className="button quiet" onClick={() => go(`draft ${drafts[0]?.key}`)}>
                Show
              </button>
            )}
            <button type="button" className="button primary" disabled={submit.isPending} onClick={send}>
              {submit.isPending ? 'Sending…' : 'Send review'}
            </button>
          </div>
          {submit.isError && <Problem error={submit.error} />}
        </>
      ) : (
        submit.data && (
          <p role="status">
            {submit.data.handed === 'recorded'
              ? 'Your review is stored. Nobody works on this repository now: it is taken up with the next start.'
              : 'Your review is on its way. Each comment shows here what becomes of it.'}{' '}
            <button type="button" className="link" onClick={() => submit.reset()}>
              Close
            </button>
          </p>
        )
      )}
    </section>
  )
})

const replyOf = ({ replyTo }: Draft) => (replyTo === null ? {} : { reply_to: replyTo })

/** The remarks that fit into one request; the rest is sent later. */
function batchOf<Remark extends NewRemarkInput>(remarks: readonly Remark[]): Remark[] {
  let chars = 0
  return remarks.slice(0, reviewLimits.batch).filter(({ text, hunk = '' }, i) => {
    chars += text.length + hunk.length
    return i === 0 || chars <= reviewLimits.batchChars
  })
}
