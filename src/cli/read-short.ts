import type { StateReader } from '../compose.ts'
import { raiseFlags } from '../domain/budget.ts'
import type { JsonObject } from '../domain/json.ts'

/** Of a Run that its budget has paused, as its last result says it: the bounds in the way, and the command that raises them enough. */
export async function readShort(
  records: StateReader,
  run: string,
): Promise<{ readonly bounds: readonly JsonObject[]; readonly command: string }> {
  const [result] = await records.recentEvents({ run, types: ['result'], limit: 1 })
  const bounds = Array.isArray(result?.data.paused) ? (result.data.paused as readonly JsonObject[]) : []
  return { bounds, command: `drydock budget ${run} ${raiseFlags(bounds)}` }
}
