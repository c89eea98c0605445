import type { Run } from '../../domain/run/run.ts'
import { namesStories } from '../../domain/run/run-policy.ts'
import type { Records } from '../../ports/store.ts'
import { retry } from '../operations/act/retry.ts'
import { usage } from '../usage.ts'
import { findWork, type Work } from '../views/find/find-work.ts'

const canRetry = (run: Run) => retry.may?.(run) === null

/**
 * The latest Run, if it can be retried without naming its id. The id is required if several Runs
 * could be meant, or if the Run was cancelled. Throws DrydockError `bad_usage`, which names the
 * Runs that can be retried.
 */
export async function latestToRetry(records: Records): Promise<Work> {
  const work = await findWork(records, undefined)
  const { run } = work
  if (run.state !== 'CANCELLED' && (canRetry(run) || namesStories(run))) return work
  throw notRetried(run, await records.machines({ kind: 'run' }))
}

function notRetried(run: Run, all: readonly Run[]) {
  const others = all.filter((other) => other.id !== run.id && canRetry(other))
  const named = others.map(({ id, state }) => `drydock retry ${id} (${state})`)
  if (run.state === 'CANCELLED')
    return usage(
      `The latest run, ${run.id}, was cancelled. It is retried only by its id.`,
      [`Retry it: drydock retry ${run.id}`, ...named].join(', or: '),
    )
  return usage(
    `The latest run, ${run.id}, cannot be retried: it is ${run.state}.`,
    named.length === 0 ? 'Start a new task: drydock task "…"' : `Retry another: ${named.join(', ')}`,
  )
}
