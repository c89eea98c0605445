import { constants } from 'node:fs'
import { mkdir, open, opendir, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { writeWhole } from '../../files/write-whole.ts'
import type { BlobFolder, BlobStore } from '../../ports/blobs.ts'
import { checked, digestOf, isWord, mustBeDigest, mustBeWord, wholeBlob } from './check-blob.ts'

/**
 * Blobs in a folder, as `<folder>/<space>/<name>/<digest>`. It may be a mounted disk, and must
 * exist.
 */
export function createFolderBlobs(folder: string): BlobStore {
  const pathOf = ({ space, name }: BlobFolder) => join(folder, mustBeWord(space), mustBeWord(name))
  return {
    place: folder,
    at(blobs) {
      const own = pathOf(blobs)
      return {
        async put(content, signal) {
          const whole = await wholeBlob(content)
          signal.throwIfAborted()
          const digest = digestOf(whole)
          await reach(folder, () => writeBlob(folder, join(own, digest), whole))
          return { digest, bytes: whole.byteLength }
        },
        async get(digest, range, signal) {
          signal.throwIfAborted()
          const found = await reach(folder, () => readBounded(join(own, mustBeDigest(digest))))
          return found === null ? null : checked(found, digest, range)
        },
        async delete(digest, signal) {
          signal.throwIfAborted()
          await reach(folder, () => rm(join(own, mustBeDigest(digest)), { force: true }))
          await rmdir(own).catch(() => undefined)
        },
      }
    },
    async folders(space, signal) {
      signal.throwIfAborted()
      return reach(folder, async () => {
        // A folder that is not mounted must not look like an empty one.
        await (await opendir(folder)).close()
        const path = join(folder, mustBeWord(space))
        const found = (await readdir(path, { withFileTypes: true }).catch(unlessMissing)) ?? []
        return found.flatMap((each) => (each.isDirectory() && isWord(each.name) ? [each.name] : []))
      })
    },
    async remove(blobs, signal) {
      signal.throwIfAborted()
      await reach(folder, () => rm(pathOf(blobs), { recursive: true, force: true }))
    },
  }
}

/** Writes a blob atomically and durably: after a crash it is either whole or absent. */
async function writeBlob(folder: string, file: string, content: Uint8Array): Promise<void> {
  await (await opendir(folder)).close()
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeWhole(file, content, { mode: 0o600, onDisk: true })
}

/**
 * Others may write to this folder, so a pipe must not block the read, and links are not followed.
 */
const asItIs = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Reads at most one byte more than a blob may have, which is enough to reject it. Anything but a
 * file reads as empty, which no blob is.
 */
async function readBounded(path: string): Promise<Uint8Array | null> {
  const file = await open(path, asItIs).catch(unlessMissing).catch(unlessNoFile)
  if (file === null) return null
  if (file === 'no file') return new Uint8Array()
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return new Uint8Array()
    const { size } = stats
    const bytes = Math.min(size, limits.blobs.bytes + 1)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error
  return null
}

function unlessNoFile(error: NodeJS.ErrnoException): 'no file' {
  // The path is a link or a socket.
  if (error.code !== 'ELOOP' && error.code !== 'ENXIO') throw error
  return 'no file'
}

async function reach<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!/^E[A-Z0-9]+$/.test(code)) throw error
    throw new DrydockError('blobs_unreachable', `${folder} cannot be used for blobs (${code}).`, {
      todo: 'Mount or make the folder that "state.blobs.folder" of your configuration names, then try: drydock doctor',
      cause: error,
    })
  }
}
