import { stat, statfs } from 'node:fs/promises'
import { type FreeSpace, spaceTaken, spaceToLeave } from '../../domain/free-space.ts'
import { limits } from '../../domain/limits.ts'
import type { ResolvedMount } from './mounts.ts'

export interface SpaceWatch {
  /** What is said of the command when it left too little, null when it did not. */
  taken(): string | null
  stop(): void
}

/** Folders of the host that a command with these mounts can fill. */
export function writableFolders(mounts: readonly ResolvedMount[]): readonly string[] {
  return mounts.flatMap((mount) => {
    if (mount.access === 'overlay') return [mount.upper]
    return mount.access === 'write' ? [mount.source] : []
  })
}

/**
 * Looks at the free space of the folders' file systems while a command runs; `onTaken`, once, when
 * it leaves too little.
 */
export function watchSpace(folders: readonly string[], onTaken: () => void): SpaceWatch {
  let taken: string | null = null
  if (folders.length === 0) return { taken: () => taken, stop: () => undefined }
  const before = disksOf(folders)
  let isLooking = false

  async function look(): Promise<void> {
    for (const { folder, free } of await before) {
      const now = await spaceOf(folder)
      if (now === null || taken !== null) continue
      const left = spaceToLeave({ size: now.size, free })
      if (now.free >= left) continue
      taken = spaceTaken({ before: free, now: now.free, left })
      stop()
      onTaken()
    }
  }

  const timer = setInterval(() => {
    // A file system that does not answer is not asked again meanwhile.
    if (isLooking) return
    isLooking = true
    look().finally(() => {
      isLooking = false
    })
  }, limits.spaceLeft.lookMs).unref()
  const stop = () => clearInterval(timer)
  return { taken: () => taken, stop }
}

interface Disk extends FreeSpace {
  readonly folder: string
}

/** One folder of each file system. */
async function disksOf(folders: readonly string[]): Promise<readonly Disk[]> {
  const disks = new Map<number, Disk>()
  for (const folder of folders) {
    const [device, space] = await Promise.all([deviceOf(folder), spaceOf(folder)])
    if (device !== null && space !== null && !disks.has(device)) disks.set(device, { folder, ...space })
  }
  return [...disks.values()]
}

async function deviceOf(folder: string): Promise<number | null> {
  return stat(folder).then(
    ({ dev }) => dev,
    () => null,
  )
}

/** Null for a folder that has gone, or cannot be asked. */
async function spaceOf(folder: string): Promise<FreeSpace | null> {
  return statfs(folder).then(
    ({ blocks, bavail, bsize }) => ({ size: blocks * bsize, free: bavail * bsize }),
    () => null,
  )
}
