import { useId, useState } from 'react'
import type { Escalation } from '../../src/api/chat.ts'
import { useDraft } from '../data/draft.ts'
import { useHold } from '../data/held.ts'
import { useOperation } from '../data/operation.ts'
import { Dialog } from './dialog.tsx'
import { forOperators } from './for-operators.tsx'
import { Problem } from './notice.tsx'

interface Choice {
  readonly label: string
  /** The reply for this decision. */
  readonly answer: string
  readonly isOff?: boolean
}

/** A person's decision, with the text that was entered beside it. */
function choiceOf(
  decision: Exclude<Escalation['decisions'][number], 'stop'>,
  { story, words }: { readonly story: string | null; readonly words: string },
): Choice {
  const along = (answer: string) => (words === '' ? answer : `${answer} ${words}`)
  switch (decision) {
    case 'approve':
      if (story === null) return { label: 'Build these stories', answer: 'approve', isOff: words !== '' }
      return { label: words === '' ? 'Build this plan' : 'Build it, and heed this', answer: along('approve') }
    case 'retry':
      return { label: words === '' ? 'Try again' : 'Try again with this', answer: along('retry') }
    case 'skip':
      return { label: `Build without ${story ?? 'it'}`, answer: 'skip' }
    case 'continue':
      return { label: words === '' ? 'Continue' : 'Continue with this', answer: along('continue') }
    case 'allow':
      return { label: 'Let these tests fail', answer: 'allow' }
    default:
      throw new Error(`unknown decision ${decision satisfies never}`)
  }
}

/** Buttons for the possible decisions of a question; entered text goes with the first one. */
export const DecisionBox = forOperators(function DecisionBox({
  asked: { id, run, story, decisions },
}: {
  readonly asked: Escalation
}) {
  const [text, setText, clear] = useDraft(`reply.${run}.${id}`)
  const [isStopping, setStopping] = useState(false)
  const reply = useOperation('reply')
  const hold = useHold()
  const field = useId()
  const words = text.trim()
  const send = (answer: string) => reply.mutate({ id, text: answer }, { onSuccess: clear })
  // An answer that ends work is delayed, so that it can be undone.
  const sendLater = (text: string) => hold.mutate({ give: 'reply', message: id, text })
  const isBusy = reply.isPending || hold.isHeld
  const choices = decisions.filter((each) => each !== 'stop').map((each) => choiceOf(each, { story, words }))
  // If the question is about an editor's next step, any text is an answer.
  const asksChanges = decisions.includes('approve') || decisions[0] === 'allow'
  if (reply.isSuccess) return <p role="status">Sent. The work continues.</p>
  return (
    <div className="stack tight decisions">
      <label className="field" htmlFor={field}>
        <span>{asksChanges ? 'What to change' : 'What to do differently (optional)'}</span>
      </label>
      <textarea
        id={field}
        data-reply
        className="input"
        rows={2}
        maxLength={3_996}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {(reply.isError || hold.isError) && <Problem error={reply.error ?? hold.error} />}
      <div className="row">
        {choices.map(({ label, answer, isOff }, i) => (
          <button
            key={label}
            type="button"
            className={i === 0 ? 'button primary' : 'button'}
            disabled={isBusy || isOff}
            onClick={() => (answer === 'skip' ? sendLater(answer) : send(answer))}
          >
            {label}
          </button>
        ))}
        {asksChanges && (
          <button
            type="button"
            className="button"
            disabled={isBusy || words === ''}
            onClick={() => send(decisions.includes('approve') ? `Change: ${words}` : words)}
          >
            Ask for changes
          </button>
        )}
        <button type="button" className="button danger" disabled={isBusy} onClick={() => setStopping(true)}>
          Stop the run
        </button>
      </div>
      {isStopping && (
        <Dialog title="Stop this run?" close={() => setStopping(false)}>
          <p>Work in progress stops. Everything done so far is kept, even if it is not merged yet.</p>
          <button
            type="button"
            className="button danger"
            disabled={isBusy}
            onClick={() => {
              setStopping(false)
              sendLater('stop')
            }}
          >
            Stop it
          </button>
        </Dialog>
      )}
    </div>
  )
})
