import { useState } from 'react'
import type { RunDetail } from '../../../src/api/runs.ts'
import { useHold } from '../../data/held.ts'
import { useOperation } from '../../data/operation.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { forOperators } from '../../parts/for-operators.tsx'
import { Problem } from '../../parts/notice.tsx'
import { href } from '../../router.ts'
import { RaiseBudget } from './raise-budget.tsx'
import { RetryDialog } from './retry-dialog.tsx'

type Open = 'cancel' | 'budget' | 'retry' | null

/** The actions that are possible for a Run now. */
export const Actions = forOperators(function Actions({ detail }: { readonly detail: RunDetail }) {
  const [open, setOpen] = useState<Open>(null)
  const { run, can } = detail
  const resume = useOperation('resume')
  const pause = useOperation('pause')
  // If the budget is used up, only a higher one helps, and the notice about it offers that.
  const isShort = detail.pause.budget !== null
  const close = () => setOpen(null)
  return (
    <div className="row">
      {(resume.isError || pause.isError) && <Problem error={resume.error ?? pause.error} />}
      {can.pause && (
        <button
          type="button"
          className="button"
          disabled={pause.isPending}
          onClick={() => pause.mutate({ run }, { onSettled: () => resume.reset() })}
        >
          Pause
        </button>
      )}
      {can.resume && (
        <button
          type="button"
          className={isShort ? 'button' : 'button primary'}
          disabled={resume.isPending}
          onClick={() => resume.mutate({ run }, { onSettled: () => pause.reset() })}
        >
          Resume
        </button>
      )}
      {can.retry && detail.kind !== 'spec' && (
        <button type="button" className="button primary" onClick={() => setOpen('retry')}>
          Retry
        </button>
      )}
      {can.edit && !detail.plan_only && (
        <a className="button" href={href('runs', run, 'plan')}>
          Edit the plan
        </a>
      )}
      {can.budget && !isShort && (
        <button type="button" className="button" onClick={() => setOpen('budget')}>
          Raise budget
        </button>
      )}
      {can.cancel && (
        <button type="button" className="button danger" onClick={() => setOpen('cancel')}>
          Cancel
        </button>
      )}
      {open === 'cancel' && <CancelDialog run={run} close={close} />}
      {open === 'budget' && <RaiseBudget run={run} budget={detail.budget} close={close} />}
      {open === 'retry' && <RetryDialog run={run} story={null} close={close} />}
    </div>
  )
})

function CancelDialog({ run, close }: { readonly run: string; readonly close: () => void }) {
  const cancel = useHold()
  return (
    <Dialog title="Cancel this run?" close={close}>
      <p>Work in progress stops. Everything done so far is kept, even if it is not merged yet.</p>
      {cancel.isError && <Problem error={cancel.error} />}
      <div className="row">
        <button
          type="button"
          className="button danger"
          disabled={cancel.isHeld}
          onClick={() => cancel.mutate({ give: 'cancel', run }, { onSuccess: close })}
        >
          Cancel the run
        </button>
        <button type="button" className="button" onClick={close}>
          Keep it running
        </button>
      </div>
    </Dialog>
  )
}
