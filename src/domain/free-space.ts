import { limits } from './limits.ts'

/**
 * The space of one file system in bytes and files (inodes). A file system without inodes has 0
 * files.
 */
export interface FreeSpace {
  readonly size: number
  readonly free: number
  readonly files: number
  readonly freeFiles: number
}

/** Bytes and files to leave free. */
export interface Reserve {
  readonly bytes: number
  readonly files: number
}

/** The figures of `statfs`. */
interface StatfsFigures {
  readonly blocks: number
  readonly bavail: number
  readonly bsize: number
  readonly files: number
  readonly ffree: number
}

/** Converts the figures of the system. */
export function freeSpaceIn({ blocks, bavail, bsize, files, ffree }: StatfsFigures): FreeSpace {
  return { size: blocks * bsize, free: bavail * bsize, files, freeFiles: ffree }
}

/**
 * The space that a command must leave free, given the space at its start. The reserve covers the
 * writes of the fastest program between two checks, so space remains when that program is ended.
 * The reserve is never all that was free: on a nearly full disk, commands that write little or free
 * space still work.
 */
export function spaceToLeave({ size, free, files, freeFiles }: FreeSpace): Reserve {
  const { bytes, files: most, burst, shareOfDisk, shareOfBurst, shareOfFree } = limits.spaceLeft
  const left = (all: number, unused: number, atMost: number, taken: number) =>
    Math.floor(Math.min(atMost, unused * shareOfFree, Math.max(all * shareOfDisk, Math.min(taken, all * shareOfBurst))))
  return { bytes: left(size, free, bytes, burst.bytes), files: left(files, freeFiles, most, burst.files) }
}

/** True if there is space for commands: with less, those of agents would be ended at once. */
export function isRoomy(space: FreeSpace): boolean {
  return shortOf(space, spaceToLeave({ ...space, free: space.size, freeFiles: space.files })) === null
}

/** True if steps find the space that they need themselves, whatever commands leave. */
export function hasRoom(space: FreeSpace): boolean {
  const { spaceToWork, spaceLeft } = limits
  const bytes = Math.min(spaceToWork.bytes, space.size * spaceLeft.shareOfBurst)
  const files = Math.min(spaceToWork.files, space.files * spaceLeft.shareOfBurst)
  return shortOf(space, { bytes, files }) === null
}

/** The part of a reserve that is used up; null when all of it is free. */
export function shortOf({ free, files, freeFiles }: FreeSpace, left: Reserve): keyof Reserve | null {
  if (free < left.bytes) return 'bytes'
  return files > 0 && freeFiles < left.files ? 'files' : null
}

/** Milliseconds until the next check: the fastest program must not reach the reserve by then. */
export function lookAgainMs({ free, files, freeFiles }: FreeSpace, left: Reserve): number {
  const { lookMs, shortestLookMs, fastest } = limits.spaceLeft
  const bytesMs = (free - left.bytes) / fastest.bytes
  const filesMs = files > 0 ? (freeFiles - left.files) / fastest.files : lookMs
  return Math.round(Math.max(shortestLookMs, Math.min(lookMs, bytesMs, filesMs)))
}

interface SpaceFigures {
  readonly before: FreeSpace
  readonly now: FreeSpace
  readonly left: Reserve
}

/** The message, for people and models, about a command that left too little space. */
export function spaceTaken({ before, now, left }: SpaceFigures): string {
  if (shortOf(now, left) === 'files') {
    const fell = `The disk was running out of files (inodes): ${before.freeFiles} could be made when the command began, then ${now.freeFiles}`
    return `${fell}. A command must leave ${left.files} here, so it was ended`
  }
  const fell = `The disk was running full: free space fell from ${sized(before.free)} to ${sized(now.free)} while the command ran`
  return `${fell}. A command must leave ${sized(left.bytes)} free here, so it was ended`
}

function sized(bytes: number): string {
  const mebibytes = bytes / 1_048_576
  return mebibytes < 1_024 ? `${mebibytes.toFixed(1)} MiB` : `${(mebibytes / 1_024).toFixed(1)} GiB`
}
