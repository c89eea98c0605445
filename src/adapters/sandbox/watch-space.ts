import { stat, statfs } from 'node:fs/promises'
import {
  type FreeSpace,
  freeSpaceIn,
  lookAgainMs,
  type Reserve,
  shortOf,
  spaceTaken,
  spaceToLeave,
} from '../../domain/free-space.ts'
import { limits } from '../../domain/limits.ts'
import type { ResolvedMount } from './mounts.ts'

export interface SpaceWatch {
  /** The message for a command that left too little space; null if it did not. */
  taken(): string | null
  stop(): void
}

/** Host folders that a command with these mounts can fill. */
export function writableFolders(mounts: readonly ResolvedMount[]): readonly string[] {
  return mounts.flatMap((mount) => {
    if (mount.access === 'overlay') return mount.isReadOnly ? [] : [mount.upper]
    return mount.access === 'write' ? [mount.source] : []
  })
}

/**
 * Watches the free space of the folders' file systems while a command runs. Calls `onTaken` once
 * when too little is left.
 */
export function watchSpace(folders: readonly string[], onTaken: () => void): SpaceWatch {
  let taken: string | null = null
  if (folders.length === 0) return { taken: () => taken, stop: () => undefined }
  const disks = disksOf(folders)
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    isOver = true
    clearTimeout(timer)
  }

  /** Milliseconds until the next check; null if none is needed. */
  async function look(): Promise<number | null> {
    let next: number = limits.spaceLeft.lookMs
    for (const { folder, before, left } of await disks) {
      const now = await spaceOf(folder)
      if (isOver) return null
      if (now === null) continue
      next = Math.min(next, lookAgainMs(now, left))
      if (shortOf(now, left) === null) continue
      taken = spaceTaken({ before, now, left })
      stop()
      onTaken()
      return null
    }
    return next
  }

  // Checks do not overlap, so a file system that does not answer is not queried again in the
  // meantime.
  function lookAfter(ms: number): void {
    timer = setTimeout(() => look().then((next) => next === null || isOver || lookAfter(next)), ms).unref()
  }

  lookAfter(0)
  return { taken: () => taken, stop }
}

interface Disk {
  readonly folder: string
  readonly before: FreeSpace
  readonly left: Reserve
}

/** Returns one folder for each file system. */
async function disksOf(folders: readonly string[]): Promise<readonly Disk[]> {
  const disks = new Map<number, Disk>()
  for (const folder of folders) {
    const [device, space] = await Promise.all([deviceOf(folder), spaceOf(folder)])
    if (device !== null && space !== null && !disks.has(device)) {
      disks.set(device, { folder, before: space, left: spaceToLeave(space) })
    }
  }
  return [...disks.values()]
}

async function deviceOf(folder: string): Promise<number | null> {
  return stat(folder).then(
    ({ dev }) => dev,
    () => null,
  )
}

/** Null for a folder that is gone, or whose file system cannot be queried. */
async function spaceOf(folder: string): Promise<FreeSpace | null> {
  return statfs(folder).then(freeSpaceIn, () => null)
}
