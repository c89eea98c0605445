import { useDraft } from '../../data/draft.ts'
import { useOperation } from '../../data/operation.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { forOperators } from '../../parts/for-operators.tsx'
import { Problem } from '../../parts/notice.tsx'

interface Props {
  readonly run: string
  /** Null for a task. */
  readonly story: string | null
  readonly close: () => void
}

/**
 * Restarts a story that has ended without DONE, from its stuck report and the person's
 * instructions.
 */
export const RetryDialog = forOperators(function RetryDialog({ run, story, close }: Props) {
  const [guidance, setGuidance, clear] = useDraft(`retry.${run}.${story ?? ''}`)
  const retry = useOperation('retry')
  return (
    <Dialog title={story === null ? 'Retry this task' : `Retry ${story}`} close={close}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          retry.mutate(
            { run, ...(story !== null && { story }), ...(guidance.trim() !== '' && { guidance }) },
            {
              onSuccess() {
                clear()
                close()
              },
            },
          )
        }}
      >
        <label className="field">
          <span>What to do differently (optional)</span>
          <textarea
            className="input"
            maxLength={3_996}
            value={guidance}
            onChange={({ target }) => setGuidance(target.value)}
          />
          <small>It continues from the last snapshot, with the stuck report and your words.</small>
        </label>
        {retry.isError && <Problem error={retry.error} />}
        <button type="submit" className="button primary" disabled={retry.isPending}>
          Retry
        </button>
      </form>
    </Dialog>
  )
})
