import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifacts } from '../../ports/artifacts.ts'
import { discard } from './discard.ts'
import { folderSizes } from './folder-sizes.ts'
import { missingAsEmpty } from './missing-as-empty.ts'
import { removeFolder } from './remove-folder.ts'

type TrimOptions = Parameters<Artifacts['trimCache']>[0]

interface Entry {
  readonly name: string
  readonly path: string
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly usedAt: number
}

/**
 * Implements `Artifacts.trimCache`. An entry is a folder or file `cache/<kind>/<name>`; those being
 * made or removed have a leading dot. An entry's time is read again right before its removal, since
 * it may have been used in the meantime.
 */
export async function trimCache(cache: string, { maxBytes, keep, unusedSince }: TrimOptions): Promise<number> {
  const entries = await entriesOf(cache)
  let left = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  let freed = 0
  for (const { name, path, bytes } of entries.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (left <= maxBytes) break
    if (keep.has(name) || (await usedAt(path)) >= unusedSince.getTime()) continue
    await discard(path)
    left -= bytes
    freed += bytes
  }
  return freed
}

/**
 * Removes entries that were being made or removed when a process ended. Must not run beside another
 * process that uses the caches.
 */
export async function removeUnfinished(cache: string): Promise<void> {
  for (const kind of await readdir(cache).catch(missingAsEmpty)) {
    const names = await readdir(join(cache, kind))
    for (const name of names.filter((each) => each.startsWith('.'))) await removeFolder(join(cache, kind, name))
  }
}

async function entriesOf(cache: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (const kind of await readdir(cache).catch(missingAsEmpty)) {
    for (const [name, bytes] of Object.entries(await folderSizes(join(cache, kind)))) {
      const path = join(cache, kind, name)
      if (!name.startsWith('.')) entries.push({ name, path, bytes, usedAt: await usedAt(path) })
    }
  }
  return entries
}

async function usedAt(path: string): Promise<number> {
  const stats = await lstat(join(path, 'layer.json')).catch(() => lstat(path))
  return stats.mtimeMs
}
