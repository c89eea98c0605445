import { useState } from 'react'
import { useHold } from '../data/held.ts'
import { forOperators } from './for-operators.tsx'
import { Problem } from './notice.tsx'
import { ReasonDialog } from './reason-dialog.tsx'

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
  const hold = useHold()
  const accept = (reason: string) => {
    setOpen(false)
    const given = { ...(story !== null && { story }), findings: [id], ...(reason !== '' && { reason }) }
    hold.mutate({ give: 'accept', run, accept: given })
  }
  return (
    <>
      <button type="button" className="button" disabled={hold.isHeld} onClick={() => setOpen(true)}>
        Accept
      </button>
      {hold.isError && <Problem error={hold.error} />}
      {isOpen && (
        <ReasonDialog
          title={`Accept ${id} as it is?`}
          does="Accept it"
          keeps="Leave it open"
          where="The record of it keeps your words"
          isHarmless
          close={() => setOpen(false)}
          go={accept}
        />
      )}
    </>
  )
})
