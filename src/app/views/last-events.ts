import type { EventOfType } from '../../domain/event.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'

/** The id of the newest event of all Runs; 0 without events. */
export function lastEvent(drydock: RecordSource): Promise<number> {
  return reading(drydock, (records) => records.lastEvent())
}

/** The last result of a Run; null while it has none. */
export async function lastResult(drydock: RecordSource, run: string): Promise<EventOfType<'result'> | null> {
  const [result] = await reading(drydock, (records) => records.recentEvents({ run, types: ['result'], limit: 1 }))
  return result ?? null
}
