import { createHash } from 'node:crypto'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { ByteRange } from '../../ports/blobs.ts'

export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Reads the whole content, up to the size limit of a blob. */
export async function wholeBlob(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    bytes += chunk.byteLength
    if (bytes > limits.blobs.bytes) throw new Error(`a blob has at most ${limits.blobs.bytes} bytes`)
    chunks.push(chunk)
  }
  if (bytes === 0) throw new Error('a blob has at least one byte')
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
}

/**
 * Checks the content that was found under a digest, and returns it or a part of it. Throws
 * DrydockError `blob_damaged`.
 */
export function checked(content: Uint8Array, digest: string, range: ByteRange | null): Uint8Array {
  if (digestOf(content) === digest) return range === null ? content : content.subarray(range.start, range.end)
  throw new DrydockError('blob_damaged', `The blob ${digest.slice(0, 12)} has other content than was stored.`, {
    todo: 'Restore the bucket or folder from a copy. Drydock shows nothing of what it cannot trust.',
  })
}

/** A digest becomes a file name, so nothing else may pass as one. */
export function mustBeDigest(digest: string): string {
  if (/^[0-9a-f]{64}$/.test(digest)) return digest
  throw new Error('not a digest of a blob')
}

/** True for a word that is safe as a file name, because it cannot lead elsewhere. */
export function isWord(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(text)
}

export function mustBeWord(text: string): string {
  if (isWord(text)) return text
  throw new Error('not a name of blobs')
}
