import { useEffect, useId, useRef, useState } from 'react'
import { count } from '../../figures-text.ts'
import { linesAt, linesText } from './anchor.ts'
import type { Draft, DraftReview } from './draft-review.ts'
import { reviewLimits } from './review-limits.ts'
import { suggestionOf } from './suggestion.ts'

interface Props {
  readonly draft: Draft
  readonly review: DraftReview
  /** Called when it closes, so that the keyboard focus returns. */
  readonly closed: () => void
}

/** An answer begins with the id of the message that it answers. */
const answerChars = 20

/** A comment that is being written. */
export function Composer({ draft, review, closed }: Props) {
  const [text, setText] = useState(() => review.textOf(draft.key))
  const field = useId()
  const box = useRef<HTMLTextAreaElement>(null)
  const isLong = text.length > reviewLimits.textChars
  useEffect(() => {
    const { current } = box
    // Existing text is not announced as new.
    if (current === null || current.value.length > answerChars) return
    // The page does not scroll, since the box is at the selected lines.
    current.focus({ preventScroll: true })
    current.form?.scrollIntoView({ block: 'nearest' })
  }, [])
  const lines = linesAt(draft)
  const suggest = () => {
    change(`${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${suggestionOf(lines ?? [])}`)
    box.current?.focus({ preventScroll: true })
  }
  const change = (next: string) => {
    setText(next)
    review.write(draft.key, next)
  }
  const finish = () => {
    if (text.trim() === '' || isLong) return
    review.finish(draft.key)
    closed()
  }
  const cancel = () => {
    review.cancel(draft.key)
    closed()
  }
  return (
    <form
      className="talk composer"
      onSubmit={(event) => {
        event.preventDefault()
        finish()
      }}
    >
      <label htmlFor={field}>
        Comment on {draft.path === null ? 'the whole change' : linesText(draft)}
        <span className="visually-hidden">{draft.path !== null && ` of ${draft.path}`}</span>
      </label>
      <textarea
        ref={box}
        id={field}
        className="input"
        rows={3}
        placeholder="Say what should be different"
        value={text}
        aria-invalid={isLong}
        onChange={({ target }) => change(target.value)}
        onKeyDown={({ key, ctrlKey, metaKey }) => {
          if (key === 'Enter' && (ctrlKey || metaKey)) finish()
          if (key === 'Escape' && text === (draft.before ?? '')) cancel()
        }}
      />
      {isLong && (
        <p className="said-wrong" role="alert">
          It has {count(text.length)} characters. A comment has at most {count(reviewLimits.textChars)}.
        </p>
      )}
      <div className="row">
        <button type="submit" className="button primary" disabled={text.trim() === '' || isLong}>
          {draft.before === null ? 'Add to review' : 'Save'}
        </button>
        <button type="button" className="button quiet" onClick={cancel}>
          Cancel
        </button>
        {lines !== null && (
          <button type="button" className="button quiet" onClick={suggest}>
            Suggest an edit
          </button>
        )}
        <span className="sub with-keyboard spread">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </span>
      </div>
    </form>
  )
}
