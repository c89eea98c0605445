import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** The part of a log before the part that was read. */
export interface SkippedPart {
  readonly bytes: number
  readonly lines: number
}

const newline = 0x0a
const chunkBytes = 1 << 20

interface Reading {
  /** A folder below `folder` that must really contain the file. */
  readonly below: string
  readonly maxBytes: number
  /** True to count the lines in front of the part that is read, too. */
  readonly countsLines?: boolean
}

/**
 * The last `maxBytes` at most of a file that untrusted code may have left; a link that leads
 * elsewhere is not followed.
 */
export async function readInside(
  folder: string,
  path: string,
  { below, maxBytes, countsLines = false }: Reading,
): Promise<
  | { readonly ok: true; readonly text: string; readonly isWhole: boolean; readonly skipped: SkippedPart | null }
  | { readonly ok: false; readonly reason: string }
> {
  const top = await realpath(folder).catch(() => folder)
  const real = await realpath(join(top, path)).catch(() => null)
  if (real === null) return { ok: false, reason: 'does not exist' }
  if (!real.startsWith(`${join(top, below)}${sep}`)) return { ok: false, reason: `leads out of ${below}` }
  // Opening a named pipe that a step has left would otherwise wait for a writer.
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return { ok: false, reason: 'cannot be read' }
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return { ok: false, reason: 'is not a file' }
    const size = Math.min(stats.size, maxBytes)
    const start = stats.size - size
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, start)
    const whole = buffer.subarray(0, bytesRead)
    if (!countsLines || start === 0)
      return { ok: true, text: whole.toString('utf8'), isWhole: start === 0, skipped: null }
    // The first line is dropped: its beginning is missing, perhaps within a character.
    const first = whole.indexOf(newline) + 1
    const skipped = { bytes: start + first, lines: (await linesBefore(handle, start)) + (first > 0 ? 1 : 0) }
    return { ok: true, text: whole.subarray(first).toString('utf8'), isWhole: false, skipped }
  } finally {
    await handle.close()
  }
}

async function linesBefore(handle: FileHandle, end: number): Promise<number> {
  const buffer = Buffer.alloc(chunkBytes)
  let lines = 0
  for (let at = 0; at < end; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(chunkBytes, end - at), at)
    if (bytesRead === 0) break
    for (let i = buffer.indexOf(newline); i !== -1 && i < bytesRead; i = buffer.indexOf(newline, i + 1)) lines += 1
    at += bytesRead
  }
  return lines
}
