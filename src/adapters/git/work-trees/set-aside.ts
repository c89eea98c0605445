import { lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SetAside } from '../../../ports/work-trees.ts'
import type { Layout } from '../layout.ts'
import { userPath } from '../raw-path.ts'
import { unlessMissing } from '../unless-missing.ts'
import { find, openDirectories } from './find.ts'
import { removeTree } from './remove-tree.ts'

/**
 * Moves what git cannot take out of a work tree into one numbered folder below `folder`, each under
 * the path that it had, so that the rest can be kept and nothing is lost. What lies there already
 * stays. Nobody else may work in the tree meanwhile. The paths may be very many.
 */
export async function setAside(workTree: string, folder: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  const place = await nextFolder(folder)
  for (const path of paths) {
    const parent = dirname(path)
    await mkdir(parent === '.' ? place : userPath(place, parent), { recursive: true, mode: 0o700 })
    await rename(userPath(workTree, path), userPath(place, path))
  }
  await disarm(place)
}

/**
 * Renames all by which git knows a repository, `.git` and `HEAD`, so that no configuration in it
 * has any effect on a git that is started there, as many a shell's prompt does.
 */
async function disarm(place: string): Promise<void> {
  const byGit = ['(', '-iname', '.git', '-o', '-name', 'HEAD', ')']
  await find(place, openDirectories)
  // Deepest first: a folder is renamed after what is in it.
  const found = await find(place, ['-depth', '-mindepth', '1', ...byGit, '-print0'])
  for (const path of found) await rename(userPath(place, path), await freeName(userPath(place, path)))
}

/** A name that is not taken: the agent may have used any. */
async function freeName(path: Buffer): Promise<Buffer> {
  for (let n = 1; ; n += 1) {
    const name = Buffer.concat([path, Buffer.from(n === 1 ? '.set-aside' : `.set-aside-${n}`)])
    if ((await unlessMissing(lstat(name))) === null) return name
  }
}

async function nextFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const taken = (await readdir(folder)).map(Number).filter(Number.isInteger)
  const place = join(folder, String(Math.max(0, ...taken) + 1))
  await mkdir(place, { mode: 0o700 })
  return place
}

/** See Workspaces.setAside. */
export async function listSetAside({ aside }: Layout, under: string): Promise<readonly SetAside[]> {
  const names = (await unlessMissing(readdir(join(aside, under)))) ?? []
  return names
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => ({ ref: `${under}${name}`, folder: join(aside, under, name) }))
}

export async function forgetSetAside({ aside }: Layout, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await removeTree(join(aside, folder))
}
