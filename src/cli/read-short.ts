import type { StateReader } from '../compose.ts'
import type { ReachedBound } from '../domain/run/budget.ts'
import { raiseFlags } from '../domain/run/budget.ts'

/**
 * Of a Run that its budget has paused, as its last result says it: the bounds in the way, and the
 * command that raises them enough.
 */
export async function readShort(
  records: StateReader,
  run: string,
): Promise<{ readonly bounds: readonly ReachedBound[]; readonly command: string }> {
  const [result] = await records.recentEvents({ run, types: ['result'], limit: 1 })
  const bounds = result?.data.paused ?? []
  return { bounds, command: `drydock budget ${run} ${raiseFlags(bounds)}` }
}
