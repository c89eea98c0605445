import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { folderSizes } from './folder-sizes.ts'
import { missingAsEmpty } from './missing-as-empty.ts'
import { removeFolder } from './remove-folder.ts'

interface Entry {
  readonly name: string
  readonly path: string
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly usedAt: number
}

/** See Artifacts.trimCache. An entry is what one of the caches holds, `cache/<kind>/<name>`; a draft's name starts with a dot. */
export async function trimCache(
  cache: string,
  { maxBytes, keep }: { readonly maxBytes: number; readonly keep: ReadonlySet<string> },
): Promise<number> {
  const entries = await entriesOf(cache)
  let left = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  let freed = 0
  for (const { name, path, bytes } of entries.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (left <= maxBytes) break
    if (keep.has(name)) continue
    await removeFolder(path)
    left -= bytes
    freed += bytes
  }
  return freed
}

async function entriesOf(cache: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (const kind of await readdir(cache).catch(missingAsEmpty)) {
    for (const [name, bytes] of Object.entries(await folderSizes(join(cache, kind)))) {
      if (name.startsWith('.')) continue
      const path = join(cache, kind, name)
      const used = await lstat(join(path, 'layer.json')).catch(() => lstat(path))
      entries.push({ name, path, bytes, usedAt: used.mtimeMs })
    }
  }
  return entries
}
