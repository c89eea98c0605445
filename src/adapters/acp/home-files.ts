import { randomUUID } from 'node:crypto'
import { chmod, lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Writes files into an agent's home, by path. */
export async function writeHomeFiles(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [way, text] of Object.entries(files)) await writeHomeFile(home, way, text)
}

/**
 * An earlier turn may have left anything there: links that lead out of the home, folders without
 * permissions, or folders too deep to remove. Links are deleted, and a folder in the way is
 * renamed.
 */
export async function writeHomeFile(home: string, way: string, text: string): Promise<void> {
  await chmod(home, 0o700)
  await makeFolders(home, dirname(way))
  const file = join(home, way)
  if (await isFolder(file)) await rename(file, `${file}.${randomUUID()}`)
  else await rm(file, { force: true })
  await writeFile(file, text, { flag: 'wx', mode: 0o600 })
}

async function makeFolders(home: string, way: string): Promise<void> {
  let folder = home
  for (const name of way.split('/').filter((part) => part !== '.')) {
    folder = join(folder, name)
    if (!(await isFolder(folder))) {
      await rm(folder, { force: true })
      await mkdir(folder)
    }
    await chmod(folder, 0o700)
  }
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => null)
  return stats?.isDirectory() ?? false
}
