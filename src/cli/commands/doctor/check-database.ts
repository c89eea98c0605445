import type { Drydock } from '../../../app/drydock.ts'
import { type Check, failed } from './check.ts'

/** The server that keeps the state; nothing is said of a file, which needs nothing. */
export async function checkDatabase({ checkDatabase: tryIt }: Drydock): Promise<readonly Check[]> {
  try {
    const found = await tryIt()
    return found === null ? [] : [{ name: 'state', ok: true, found, exit: 0 }]
  } catch (error) {
    return [failed('state', error, 'No run can start, and none can be seen.')]
  }
}
