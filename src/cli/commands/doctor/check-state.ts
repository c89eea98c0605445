import type { Drydock } from '../../../app/drydock.ts'
import type { Check } from './check.ts'
import { checkBlobs } from './check-blobs.ts'
import { checkDatabase } from './check-database.ts'
import { checkWorkers } from './check-workers.ts'

/** What keeps the state, or copies of its files, elsewhere. */
export async function checkState(drydock: Drydock): Promise<readonly Check[]> {
  const database = await checkDatabase(drydock)
  const isShared = database.length > 0 && database.every(({ ok }) => ok)
  return [...database, ...(isShared ? await checkWorkers(drydock) : []), ...(await checkBlobs(drydock))]
}
