import { useAccept } from '../data/commands.ts'
import { Problem } from './notice.tsx'

/** A task has no reviewer: whoever looks at it says what may stay. */
export function AcceptButton({ run, id }: { readonly run: string; readonly id: string }) {
  const accept = useAccept(run)
  return (
    <>
      <button type="button" className="button" disabled={accept.isPending} onClick={() => accept.mutate([id])}>
        Accept
      </button>
      {accept.isError && <Problem error={accept.error} />}
    </>
  )
}
