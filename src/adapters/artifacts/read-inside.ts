import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

interface Reading {
  /** The folder in `folder` which the file must really be in. */
  readonly below: string
  readonly maxBytes: number
}

/**
 * The end of a file that untrusted code may have left, at most `maxBytes`; no link that leads
 * elsewhere is followed.
 */
export async function readInside(
  folder: string,
  path: string,
  { below, maxBytes }: Reading,
): Promise<
  | { readonly ok: true; readonly text: string; readonly isWhole: boolean }
  | { readonly ok: false; readonly reason: string }
> {
  const top = await realpath(folder).catch(() => folder)
  const real = await realpath(join(top, path)).catch(() => null)
  if (real === null) return { ok: false, reason: 'does not exist' }
  if (!real.startsWith(`${join(top, below)}${sep}`)) return { ok: false, reason: `leads out of ${below}` }
  // Opening a pipe that a step has left would otherwise wait for a writer.
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return { ok: false, reason: 'cannot be read' }
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return { ok: false, reason: 'is not a file' }
    const size = Math.min(stats.size, maxBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, stats.size - size)
    return { ok: true, text: buffer.subarray(0, bytesRead).toString('utf8'), isWhole: stats.size <= maxBytes }
  } finally {
    await handle.close()
  }
}
