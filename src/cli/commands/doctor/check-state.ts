import type { Installation } from '../../../app/installation.ts'
import type { Ownership } from '../../../app/ownership.ts'
import type { StateAccess } from '../../../app/state-access.ts'
import { type Check, failed } from './check.ts'
import { checkBlobs } from './check-blobs.ts'
import { checkWorkers } from './check-workers.ts'

/** Checks the services that keep the state or copies of its files. */
export async function checkState(
  drydock: Pick<Installation, 'blobs'> &
    Pick<StateAccess, 'openRecords' | 'workersNow'> &
    Pick<Ownership, 'checkDatabase'>,
): Promise<readonly Check[]> {
  const database = await checkDatabase(drydock)
  const isShared = database.length > 0 && database.every(({ ok }) => ok)
  return [...database, ...(isShared ? await checkWorkers(drydock) : []), ...(await checkBlobs(drydock))]
}

/** Checks the database server of the state; empty for a state in a file, which needs no check. */
async function checkDatabase({ checkDatabase: tryIt }: Pick<Ownership, 'checkDatabase'>): Promise<readonly Check[]> {
  try {
    const found = await tryIt()
    return found === null ? [] : [{ name: 'state', ok: true, found, exit: 0 }]
  } catch (error) {
    return [failed('state', error, 'No run can start, and none can be seen.')]
  }
}
