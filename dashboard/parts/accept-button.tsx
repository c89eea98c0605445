import { useOperation } from '../data/operation.ts'
import { forOperators } from './for-operators.tsx'
import { Problem } from './notice.tsx'

interface Accepted {
  readonly run: string
  /** Null for a task. */
  readonly story: string | null
  readonly id: string
}

/** Whoever looks at it says what may stay: of a task's result, and of a story until it ends. */
export const AcceptButton = forOperators(function AcceptButton({ run, story, id }: Accepted) {
  const accept = useOperation('accept')
  return (
    <>
      <button
        type="button"
        className="button"
        disabled={accept.isPending}
        onClick={() => accept.mutate({ run, ...(story !== null && { story }), findings: [id] })}
      >
        Accept
      </button>
      {accept.isError && <Problem error={accept.error} />}
    </>
  )
})
