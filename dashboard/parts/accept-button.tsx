import { useId, useState } from 'react'
import { useHold } from '../data/held.ts'
import { Dialog } from './dialog.tsx'
import { forOperators } from './for-operators.tsx'
import { Problem } from './notice.tsx'

interface AcceptButtonProps {
  readonly run: string
  /** Null for a task. */
  readonly story: string | null
  readonly id: string
}

/**
 * Accepts a finding with a person's reason: in the result of a task, and in a story until it ends.
 */
export const AcceptButton = forOperators(function AcceptButton({ run, story, id }: AcceptButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const hold = useHold()
  const field = useId()
  const words = reason.trim()
  return (
    <>
      <button type="button" className="button" disabled={hold.isHeld} onClick={() => setOpen(true)}>
        Accept
      </button>
      {hold.isError && <Problem error={hold.error} />}
      {isOpen && (
        <Dialog title="Accept it as it is?" close={() => setOpen(false)}>
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault()
              setOpen(false)
              const accept = {
                ...(story !== null && { story }),
                findings: [id],
                ...(words !== '' && { reason: words }),
              }
              hold.mutate({ give: 'accept', run, accept })
            }}
          >
            <label className="field" htmlFor={field}>
              <span>Why may {id} stay? The record of it keeps your words (optional).</span>
            </label>
            <textarea
              id={field}
              className="input"
              rows={2}
              maxLength={1_000}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
            <div className="row">
              <button type="submit" className="button primary">
                Accept it
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
})
