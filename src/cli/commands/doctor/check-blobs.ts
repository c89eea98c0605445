import { tryBlobs } from '../../../app/commands/try-blobs.ts'
import type { Installation } from '../../../app/installation.ts'
import { describeStanding } from '../../../app/text/blob-standing.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { type Check, failed } from './check.ts'

/** Checks the blob store by a real put, get and delete; empty if none is configured. */
export async function checkBlobs({ blobs }: Pick<Installation, 'blobs'>): Promise<readonly Check[]> {
  if (blobs === null) return []
  const consequence = 'Runs go on. Logs and artifacts stay on this machine until it answers.'
  try {
    await tryBlobs(blobs)
    const standing = await blobs.standing.read()
    const waiting = standing === null ? null : describeStanding(standing, blobs.store.place)
    const found = `${blobs.store.place}: put, read and deleted a blob${waiting === null ? '' : `. ${waiting}`}`
    return [{ name: 'blobs', ok: true, found, exit: 0 }]
  } catch (error) {
    if (error instanceof DrydockError) return [failed('blobs', error, consequence)]
    throw error
  }
}
