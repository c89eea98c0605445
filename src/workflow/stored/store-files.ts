import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { FileIndex, FilePart, StoredAt, StoredFile } from '../../domain/verification/stored-files.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { BlobStore, Blobs } from '../../ports/blobs.ts'

interface Storing {
  readonly artifacts: Pick<Artifacts, 'files' | 'readFile'>
  readonly blobs: BlobStore
  /** Called after each uploaded blob. */
  readonly progressed: () => void
}

/**
 * Uploads the files of an ended verification, and finally their index. After a crash a second call
 * uploads the same blobs under the same names. Null for a verification without files.
 */
export async function storeFiles(
  { artifacts, blobs, progressed }: Storing,
  { space, runId }: { readonly space: string; readonly runId: string },
  signal: AbortSignal,
): Promise<StoredAt | null> {
  const found = await artifacts.files(runId)
  if (found.length === 0) return null
  const place = blobs.at({ space, name: runId })
  const own: Blobs = { ...place, put: (content, until) => place.put(content, until).finally(progressed) }
  const files: StoredFile[] = []
  const taken = new Map<string, number>()
  let listed = 0
  for (const { path, bytes } of found) {
    // The limit is for each top folder, since steps can fill either one.
    const top = path.split('/')[0] ?? ''
    const before = taken.get(top) ?? 0
    const entry = path.length * 4 + 120 * Math.ceil(bytes / limits.blobs.bytes) + 60
    const isTooMuch = files.length >= limits.blobs.files || listed + entry > limits.blobs.indexBytes
    if (isTooMuch || before + bytes > limits.blobs.folderBytes) continue
    const parts = await putParts(own, artifacts.readFile(runId, path), signal).catch(unlessUnreadable)
    if (parts === null) continue
    files.push({ path, bytes: parts.reduce((sum, part) => sum + part.bytes, 0), parts })
    taken.set(top, before + bytes)
    listed += entry
  }
  const index: FileIndex = { version: 1, files, left_out: found.length - files.length }
  const digest = await putIndex({ own, place: blobs.place }, index, signal)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return { space, index: digest, files: files.length, bytes }
}

/** Uploads the index of the other blobs last, and returns its digest. */
export async function putIndex(
  { own, place }: { readonly own: Blobs; readonly place: string },
  index: object,
  signal: AbortSignal,
): Promise<string> {
  const { digest } = await own.put(Buffer.from(JSON.stringify(index)), signal)
  // A storage that accepts uploads but returns nothing has not stored them.
  if ((await own.get(digest, null, signal)) === null) throw notKept(place)
  return digest
}

function notKept(place: string): DrydockError {
  return new DrydockError('blobs_refused', `${place} took a blob, and does not give it.`, {
    todo: 'Name the endpoint of an S3 server in "state.blobs.s3" of your configuration.',
  })
}

async function putParts(
  own: Blobs,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<readonly FilePart[]> {
  const parts: FilePart[] = []
  for await (const part of inParts(content)) {
    const { digest, bytes } = await own.put(part, signal)
    parts.push({ digest, bytes, lines: linesIn(part) })
  }
  return parts
}

/** Files that a step has made unreadable are skipped. */
function unlessUnreadable(error: NodeJS.ErrnoException): null {
  if (['EACCES', 'EPERM', 'ENOENT', 'ELOOP'].includes(`${error.code}`)) return null
  throw error
}

/** Splits the content into parts of the largest blob size, except the last. */
export async function* inParts(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let held: Uint8Array[] = []
  let bytes = 0
  for await (let chunk of content) {
    while (bytes + chunk.byteLength >= limits.blobs.bytes) {
      const fits = limits.blobs.bytes - bytes
      yield Buffer.concat([...held, chunk.subarray(0, fits)])
      chunk = chunk.subarray(fits)
      held = []
      bytes = 0
    }
    held.push(chunk)
    bytes += chunk.byteLength
  }
  if (bytes > 0) yield Buffer.concat(held)
}

export function linesIn(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) lines += 1
  return lines
}
