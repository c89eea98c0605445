import { useState } from 'react'
import { useDrainWorker } from '../../data/workers.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { forOperators } from '../../parts/for-operators.tsx'
import { Problem } from '../../parts/notice.tsx'

interface Props {
  readonly name: string
}

/** Drains a worker, after a dialog that explains the effect. */
export const DrainButton = forOperators(({ name }: Props) => {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button type="button" className="button" aria-label={`Drain ${name}`} onClick={() => setAsking(true)}>
        Drain
      </button>
      {isAsking && <DrainDialog name={name} close={() => setAsking(false)} />}
    </>
  )
})

function DrainDialog({ name, close }: Props & { readonly close: () => void }) {
  const draining = useDrainWorker()
  return (
    <Dialog title={`Drain ${name}?`} close={close}>
      <p>
        It takes no new step. When the steps under way have ended, its stories go on elsewhere and the worker ends.
        Nothing is lost. To have it back, start it again on its machine.
      </p>
      {draining.isError && <Problem error={draining.error} />}
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={draining.isPending}
          onClick={() => draining.mutate({ worker: name }, { onSuccess: close })}
        >
          Drain it
        </button>
        <button type="button" className="button" onClick={close}>
          Leave it at work
        </button>
      </div>
    </Dialog>
  )
}
