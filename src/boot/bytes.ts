import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/** All of a file; null when it is cut meanwhile, or `isWanted` says so of the open one. */
export function readBytes(path: string, isWanted: (file: Stats) => boolean = () => true): Buffer | null {
  const file = openSync(path, 'r')
  try {
    const stats = fstatSync(file)
    if (!isWanted(stats)) return null
    // Not from a pool: V8 copies code that does not begin at a multiple of eight.
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
 * Gives the memory of bytes back that nobody will look at again. A start reads six megabytes, which
 * would lie about until V8 next looks for garbage of that age.
 */
export function giveBack(bytes: Buffer): void {
  ;(bytes.buffer as ArrayBuffer).transfer(0)
}
