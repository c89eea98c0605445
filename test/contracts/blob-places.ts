import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFolderBlobs } from '../../src/adapters/blobs/folder-blobs.ts'
import { createS3Blobs } from '../../src/adapters/blobs/s3/s3-blobs.ts'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import type { BlobStore } from '../../src/ports/blobs.ts'
import { bucket, keyId, type S3Server, startFauxqs, startS3rver } from '../wire/s3-servers.ts'

/** A blob storage as the contract suite opens and inspects it. */
export interface BlobPlace {
  readonly name: string
  start(): Promise<StartedPlace>
}

export interface StartedPlace {
  /** Opens the blobs like another process. */
  open(): BlobStore
  /** Writes without the store's knowledge. `key` is `<space>/<name>/<digest>`. */
  write(key: string, content: Uint8Array): Promise<void>
  close(): Promise<void>
}

const inS3 = (name: string, start: () => Promise<S3Server>): BlobPlace => ({
  name,
  async start() {
    const { url, close } = await start()
    return {
      open: () => createS3Blobs(s3Settings(url), createSystemClock()),
      async write(key, content) {
        const { ok } = await fetch(`${url}/${bucket}/team/${key}`, { method: 'PUT', body: Buffer.from(content) })
        if (!ok) throw new Error('the server took no object')
      },
      close,
    }
  },
})

export const s3Settings = (endpoint: string) => ({
  endpoint,
  region: 'us-east-1',
  bucket,
  prefix: 'team',
  credentials: { accessKeyId: keyId, secretAccessKey: 'canary-secret-of-the-bucket-123', sessionToken: null },
})

export const blobPlaces: readonly BlobPlace[] = [
  {
    name: 'a folder',
    async start() {
      const folder = await mkdtemp(join(tmpdir(), 'drydock-blobs-'))
      return {
        open: () => createFolderBlobs(folder),
        async write(key, content) {
          await mkdir(join(folder, key, '..'), { recursive: true })
          await writeFile(join(folder, key), content)
        },
        close: () => rm(folder, { recursive: true, force: true }),
      }
    },
  },
  inS3('fauxqs', startFauxqs),
  inS3('s3rver', startS3rver),
]
