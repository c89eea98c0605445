import { lstat, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Writes text by path into an agent's home. */
export async function writeHomeFiles(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [way, text] of Object.entries(files)) await writeHomeFile(home, way, text)
}

/**
 * An earlier turn may have put a link there, which would lead out of the home: whatever is no
 * folder on the way is removed.
 */
export async function writeHomeFile(home: string, way: string, text: string): Promise<void> {
  await makeFolders(home, dirname(way))
  const file = join(home, way)
  await rm(file, { recursive: true, force: true })
  await writeFile(file, text, { flag: 'wx', mode: 0o600 })
}

async function makeFolders(home: string, way: string): Promise<void> {
  let folder = home
  for (const name of way.split('/').filter((part) => part !== '.')) {
    folder = join(folder, name)
    const stats = await lstat(folder).catch(() => null)
    if (stats?.isDirectory()) continue
    await rm(folder, { force: true })
    await mkdir(folder, { mode: 0o700, recursive: true })
  }
}
