import { randomBytes, randomUUID } from 'node:crypto'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { KeptBlobs } from '../../ports/blobs.ts'

/** Puts a blob, reads it, lists it and deletes it. Throws the DrydockErrors of Blobs. */
export async function tryBlobs({ store, standing }: KeptBlobs): Promise<void> {
  const signal = AbortSignal.timeout(limits.blobs.requestMs * 3)
  // Uses the state's own space, so that garbage collection removes the blob of an interrupted try.
  const space = (await standing.read())?.space ?? `doctor-${randomUUID()}`
  const name = `doctor-${randomUUID()}`
  const blobs = store.at({ space, name })
  const { digest } = await blobs.put(randomBytes(1_000), signal)
  try {
    const isBack = (await blobs.get(digest, null, signal)) !== null
    const isListed = (await store.folders(space, signal)).includes(name)
    if (!isBack || !isListed) {
      throw new DrydockError(
        'blobs_refused',
        `${store.place} took a blob, and does not ${isBack ? 'list' : 'give'} it.`,
        {
          todo: 'Name the endpoint of an S3 server in "state.blobs.s3" of your configuration.',
        },
      )
    }
  } finally {
    await blobs.delete(digest, signal)
  }
}
