import { join } from 'node:path'
import type { BlobStandingFile, BlobStore, KeptBlobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import { type S3Settings, shownPlace } from './s3/s3-settings.ts'

interface Here {
  /** The folder of the state. */
  readonly state: string
  readonly clock: Pick<Clock, 'now'>
}

/** The configured place of blobs; null if none is configured. Its code is loaded at first use. */
export function createBlobs(
  settings: { readonly folder: string } | S3Settings | null,
  { state, clock }: Here,
): KeptBlobs | null {
  if (settings === null) return null
  const standing = async (): Promise<BlobStandingFile> =>
    (await import('./standing-file.ts')).createBlobStandingFile(join(state, 'blobs.json'))
  return {
    store: 'folder' in settings ? inFolder(settings.folder) : inBucket(settings, clock),
    standing: {
      read: async () => (await standing()).read(),
      write: async (next) => (await standing()).write(next),
    },
  }
}

function inFolder(folder: string): BlobStore {
  return lazyStore(folder, async () => (await import('./folder-blobs.ts')).createFolderBlobs(folder))
}

function inBucket(settings: S3Settings, clock: Pick<Clock, 'now'>): BlobStore {
  return lazyStore(shownPlace(settings), async () => (await import('./s3/s3-blobs.ts')).createS3Blobs(settings, clock))
}

function lazyStore(place: string, load: () => Promise<BlobStore>): BlobStore {
  let loading: Promise<BlobStore> | undefined
  const loaded = (): Promise<BlobStore> => {
    loading ??= load()
    return loading
  }
  return {
    place,
    at: (folder) => ({
      put: async (...given) => (await loaded()).at(folder).put(...given),
      get: async (...given) => (await loaded()).at(folder).get(...given),
      delete: async (...given) => (await loaded()).at(folder).delete(...given),
    }),
    folders: async (...given) => (await loaded()).folders(...given),
    remove: async (...given) => (await loaded()).remove(...given),
  }
}
