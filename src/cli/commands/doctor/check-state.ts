import type { Drydock } from '../../../app/drydock.ts'
import { type Check, failed } from './check.ts'
import { checkBlobs } from './check-blobs.ts'
import { checkWorkers } from './check-workers.ts'

/** What keeps the state, or copies of its files, elsewhere. */
export async function checkState(drydock: Drydock): Promise<readonly Check[]> {
  const database = await checkDatabase(drydock)
  const isShared = database.length > 0 && database.every(({ ok }) => ok)
  return [...database, ...(isShared ? await checkWorkers(drydock) : []), ...(await checkBlobs(drydock))]
}

/** The server that keeps the state; nothing is said of a file, which needs nothing. */
async function checkDatabase({ checkDatabase: tryIt }: Drydock): Promise<readonly Check[]> {
  try {
    const found = await tryIt()
    return found === null ? [] : [{ name: 'state', ok: true, found, exit: 0 }]
  } catch (error) {
    return [failed('state', error, 'No run can start, and none can be seen.')]
  }
}
