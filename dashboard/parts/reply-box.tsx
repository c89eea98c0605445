import { useId } from 'react'
import { useDraft } from '../data/draft.ts'
import { useOperation } from '../data/operation.ts'
import { forOperators } from './for-operators.tsx'
import { Problem } from './notice.tsx'

interface Props {
  readonly run: string
  readonly message: string
  /** The placeholder of the empty field. */
  readonly hint?: string
  /** The confirmation after sending. */
  readonly sent: string
  readonly onSent?: () => void
}

/** A field for the answer to a message. */
export const ReplyBox = forOperators(function ReplyBox({ run, message, hint = 'Your answer', sent, onSent }: Props) {
  const [text, setText, clear] = useDraft(`reply.${run}.${message}`)
  const reply = useOperation('reply')
  const field = useId()
  const send = () =>
    text.trim() !== '' &&
    !reply.isPending &&
    reply.mutate(
      { id: message, text },
      {
        onSuccess() {
          clear()
          onSent?.()
        },
      },
    )
  if (reply.isSuccess) return <p role="status">{sent}</p>
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label className="visually-hidden" htmlFor={field}>
        Your answer
      </label>
      <textarea
        id={field}
        data-reply
        className="input"
        rows={2}
        maxLength={4_096}
        placeholder={hint}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key, ctrlKey, metaKey }) => key === 'Enter' && (ctrlKey || metaKey) && send()}
      />
      {reply.isError && <Problem error={reply.error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={text.trim() === '' || reply.isPending}>
          {reply.isPending ? 'Sending…' : 'Reply'}
        </button>
        <span className="sub with-keyboard">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </span>
      </div>
    </form>
  )
})
