import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/** All bytes of a file; null if the file shrinks meanwhile, or if `isWanted` rejects its stats. */
export function readBytes(path: string, isWanted: (file: Stats) => boolean = () => true): Buffer | null {
  const file = openSync(path, 'r')
  try {
    const stats = fstatSync(file)
    if (!isWanted(stats)) return null
    // Allocated outside the pool, since V8 copies code that does not begin at a multiple of eight.
    const bytes = Buffer.allocUnsafeSlow(stats.size)
    for (let at = 0, more = 1; at < bytes.length; at += more) {
      more = readSync(file, bytes, at, bytes.length - at, at)
      if (more === 0) return null
    }
    return bytes
  } finally {
    closeSync(file)
  }
}

/**
 * Frees the memory of bytes that are no longer needed. A start reads six megabytes, which would
 * otherwise stay until V8's next garbage collection of that generation.
 */
export function giveBack(bytes: Buffer): void {
  ;(bytes.buffer as ArrayBuffer).transfer(0)
}
