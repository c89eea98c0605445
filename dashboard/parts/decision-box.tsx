import { useId, useState } from 'react'
import type { Escalation } from '../../src/api/chat.ts'
import { useDraft } from '../data/draft.ts'
import { useOperation } from '../data/operation.ts'
import { Dialog } from './dialog.tsx'
import { forOperators } from './for-operators.tsx'
import { Problem } from './notice.tsx'

/** The decisions that a question leaves, as buttons; words go with the first of them. */
export const DecisionBox = forOperators(function DecisionBox({
  asked: { id, run, story, decisions },
}: {
  readonly asked: Escalation
}) {
  const [text, setText, clear] = useDraft(`reply.${run}.${id}`)
  const [isStopping, setStopping] = useState(false)
  const reply = useOperation('reply')
  const field = useId()
  const words = text.trim()
  const send = (answer: string) => reply.mutate({ id, text: answer }, { onSuccess: clear })
  const isPlan = decisions.includes('approve')
  const isRedBase = decisions.includes('continue')
  if (reply.isSuccess) return <p role="status">Sent. The work continues.</p>
  return (
    <div className="stack tight decisions">
      <label className="field" htmlFor={field}>
        <span>{isPlan ? 'What to change' : 'What to do differently (optional)'}</span>
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
      {reply.isError && <Problem error={reply.error} />}
      <div className="row">
        {isPlan ? (
          <>
            <button
              type="button"
              className="button primary"
              disabled={reply.isPending || (story === null && words !== '')}
              onClick={() => send(words === '' ? 'approve' : `approve ${words}`)}
            >
              {story === null ? 'Build these stories' : words === '' ? 'Build this plan' : 'Build it, and heed this'}
            </button>
            <button
              type="button"
              className="button"
              disabled={reply.isPending || words === ''}
              onClick={() => send(`Change: ${words}`)}
            >
              Ask for changes
            </button>
          </>
        ) : isRedBase ? (
          <>
            <button
              type="button"
              className="button primary"
              disabled={reply.isPending}
              onClick={() => send(words === '' ? 'continue' : `continue ${words}`)}
            >
              {words === '' ? 'Continue' : 'Continue with this'}
            </button>
            <button type="button" className="button" disabled={reply.isPending} onClick={() => send('allow')}>
              Let these tests fail
            </button>
          </>
        ) : (
          <>
            <button
              type="button"
              className="button primary"
              disabled={reply.isPending}
              onClick={() => send(words === '' ? 'retry' : `retry ${words}`)}
            >
              {words === '' ? 'Retry' : 'Retry with this'}
            </button>
            <button type="button" className="button" disabled={reply.isPending} onClick={() => send('skip')}>
              Skip {story ?? 'it'}
            </button>
          </>
        )}
        <button type="button" className="button danger" disabled={reply.isPending} onClick={() => setStopping(true)}>
          Stop the run
        </button>
      </div>
      {isStopping && (
        <Dialog title="Stop this run?" close={() => setStopping(false)}>
          <p>Work in progress stops. Everything done so far is kept, even if it is not merged yet.</p>
          <button type="button" className="button danger" disabled={reply.isPending} onClick={() => send('stop')}>
            Stop it
          </button>
        </Dialog>
      )}
    </div>
  )
})
