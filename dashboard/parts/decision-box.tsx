import { useId, useState } from 'react'
import type { Escalation } from '../../src/api/chat.ts'
import { useDraft } from '../data/draft.ts'
import { useHold } from '../data/held.ts'
import { useOperation } from '../data/operation.ts'
import { forOperators } from './for-operators.tsx'
import { Problem } from './notice.tsx'
import { ReasonDialog } from './reason-dialog.tsx'

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
  const [ending, setEnding] = useState<'skip' | 'stop' | null>(null)
  const reply = useOperation('reply')
  const hold = useHold()
  const field = useId()
  const words = text.trim()
  const send = (answer: string) => reply.mutate({ id, text: answer }, { onSuccess: clear })
  // An answer that ends work can be taken back.
  const sendLater = (reason: string) => {
    setEnding(null)
    const text = reason === '' ? String(ending) : `${ending}: ${reason}`
    hold.mutate({ give: 'reply', message: id, text }, { onSuccess: clear })
  }
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
            onClick={() => (answer === 'skip' ? setEnding('skip') : send(answer))}
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
        <button type="button" className="button danger" disabled={isBusy} onClick={() => setEnding('stop')}>
          Stop the run
        </button>
      </div>
      {ending !== null && (
        <ReasonDialog
          title={ending === 'stop' ? 'Stop this run?' : `Build without ${story ?? 'it'}?`}
          does={ending === 'stop' ? 'Stop it' : 'Build without it'}
          keeps="Leave the question open"
          where="The answer keeps your words"
          words={words}
          close={() => setEnding(null)}
          go={sendLater}
        >
          {ending === 'stop'
            ? 'Work in progress stops. Everything done so far is kept, even if it is not merged yet.'
            : 'Stories that need it are not built either.'}
        </ReasonDialog>
      )}
    </div>
  )
})
