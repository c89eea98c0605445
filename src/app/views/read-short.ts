import type { ReachedBound } from '../../domain/run/budget.ts'
import { raiseFlags } from '../../domain/run/budget.ts'
import type { Records } from '../../ports/store.ts'

/**
 * The shortage of a Run that its budget has paused, from its last result: the exceeded bounds, and
 * a command that raises them enough.
 */
export async function readShort(
  records: Records,
  run: string,
): Promise<{ readonly bounds: readonly ReachedBound[]; readonly command: string }> {
  const [result] = await records.recentEvents({ run, types: ['result'], limit: 1 })
  const bounds = result?.data.paused ?? []
  return { bounds, command: `drydock budget ${run} ${raiseFlags(bounds)}` }
}
