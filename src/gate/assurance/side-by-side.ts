import { limits } from '../../domain/limits.ts'
import type { VerifyInput } from '../verification-place.ts'

/** The number of trees of one verification that run at once, by the machine's cores. */
export function treesAtOnce(cores: number): number {
  return cores >= limits.assurance.coresForTwo ? 2 : 1
}

/** The checkout of a verification's lane, from 0; the first lane has that of the change. */
export function checkoutOfLane(checkout: string, lane: number): string {
  return lane === 0 ? checkout : `${checkout}-beside-${lane}`
}

/**
 * Runs trees for a verification. `input` names a checkout that nothing else uses at the same time.
 */
export type Task<T> = (input: VerifyInput, signal: AbortSignal) => Promise<T>

/**
 * Runs tasks in lanes and returns the results in order. Each parallel task has a checkout of its
 * own; when one fails the others are stopped.
 */
export async function sideBySide<T>(
  {
    input,
    tasks,
    atOnce,
    free,
  }: {
    readonly input: VerifyInput
    readonly tasks: readonly Task<T>[]
    readonly atOnce: number
    /** Resolves when the lanes beside the first are free. */
    readonly free: () => Promise<void>
  },
  signal: AbortSignal,
): Promise<readonly T[]> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const ended = new Promise<void>((resolve) => either.addEventListener('abort', () => resolve(), { once: true }))
  const results: T[] = []
  const waiting = tasks.entries()
  const lane = async (number: number) => {
    const own = { ...input, checkout: checkoutOfLane(input.checkout, number) }
    try {
      if (number > 0) await Promise.race([free(), ended])
      either.throwIfAborted()
      for (const [i, task] of waiting) results[i] = await task(own, either)
    } catch (error) {
      // Only the first error counts: the others just report that they were stopped.
      if (!failed.signal.aborted) failed.abort(error)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, tasks.length) }, (_, number) => lane(number)))
  signal.throwIfAborted()
  failed.signal.throwIfAborted()
  return results
}
