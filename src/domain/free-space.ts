import { limits } from './limits.ts'

/** The space of one file system, in bytes. */
export interface FreeSpace {
  readonly size: number
  readonly free: number
}

/**
 * Bytes that a command must leave free where so much was free when it began. Never all of that: on
 * a disk that is nearly full, a command that takes little still works, and one that makes space.
 */
export function spaceToLeave({ size, free }: FreeSpace): number {
  const { bytes, shareOfDisk, shareOfFree } = limits.spaceLeft
  return Math.floor(Math.min(bytes, size * shareOfDisk, free * shareOfFree))
}

/** The message, for people and models, about a command that left too little space. */
export function spaceTaken({ before, now, left }: Record<'before' | 'now' | 'left', number>): string {
  const fell = `The disk was running full: free space fell from ${sized(before)} to ${sized(now)} while the command ran`
  return `${fell}. A command must leave ${sized(left)} free here, so it was ended`
}

function sized(bytes: number): string {
  const mebibytes = bytes / 1_048_576
  return mebibytes < 1_024 ? `${mebibytes.toFixed(1)} MiB` : `${(mebibytes / 1_024).toFixed(1)} GiB`
}
