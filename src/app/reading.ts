import type { StateReader } from '../ports/store.ts'
import type { RecordSource } from './state-access.ts'

/** Opens the state for reading alongside its owner, and closes it afterwards. */
export async function reading<T>(
  { openRecords }: RecordSource,
  read: (records: StateReader) => Promise<T>,
): Promise<T> {
  const records = openRecords()
  try {
    return await read(records)
  } finally {
    await records.close()
  }
}
