import type { Drydock, StateReader } from '../compose.ts'

/** Opens the state for reading, beside whoever owns it. */
export async function reading<T>(drydock: Drydock, read: (records: StateReader | null) => Promise<T>): Promise<T> {
  const records = drydock.openRecords()
  try {
    return await read(records)
  } finally {
    await records?.close()
  }
}
