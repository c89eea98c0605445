import type { Drydock } from '../drydock.ts'
import { reading } from '../reading.ts'
import { findExactly } from '../views/find/find-exactly.ts'
import type { Work } from '../views/find/find-work.ts'

/** The Run or story of exactly this address. DrydockError `not_found`. */
export function find(drydock: Pick<Drydock, 'openRecords'>, id: string): Promise<Work> {
  return reading(drydock, (records) => findExactly(records, id))
}
