import type { Drydock } from '../../../app/drydock.ts'
import type { Check } from './check.ts'
import { checkBlobs } from './check-blobs.ts'
import { checkDatabase } from './check-database.ts'

/** What keeps the state, or copies of its files, elsewhere. */
export async function checkState(drydock: Drydock): Promise<readonly Check[]> {
  return [...(await checkDatabase(drydock)), ...(await checkBlobs(drydock))]
}
