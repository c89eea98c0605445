import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'
import { findExactly } from '../views/find/find-exactly.ts'
import type { Work } from '../views/find/find-work.ts'

/** The Run or story of exactly this address. DrydockError `not_found`. */
export function find(drydock: RecordSource, id: string): Promise<Work> {
  return reading(drydock, (records) => findExactly(records, id))
}

/**
 * The Run or story of exactly this address; null for a Run whose start is stored and that no owner
 * has begun yet. DrydockError `not_found`.
 */
export function findOrStored(drydock: RecordSource, id: string): Promise<Work | null> {
  return reading(drydock, async (records) => {
    const pending = await records.pendingCommands()
    const isStored = pending.some(({ command }) => command.kind === 'start' && command.run === id)
    return isStored ? null : findExactly(records, id)
  })
}
