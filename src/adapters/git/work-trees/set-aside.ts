import { lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SetAside } from '../../../ports/work-trees.ts'
import { mustBeHidden } from '../history/hidden-refs.ts'
import type { Layout } from '../layout.ts'
import { userPath } from '../raw-path.ts'
import { unlessMissing } from '../unless-missing.ts'
import { find, openDirectories } from './find.ts'
import { removeTree } from './remove-tree.ts'

/**
 * Moves files that git cannot commit out of a work tree into a new numbered folder below `folder`,
 * each under its old path, so that the rest can be kept and nothing is lost. Earlier folders stay.
 * No other process may work in the tree in the meantime. The paths may be very many.
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
 * Renames each `.git` and `HEAD`, by which git recognizes a repository, so that its configuration
 * cannot affect a git that starts there, for example from a shell prompt.
 */
async function disarm(place: string): Promise<void> {
  const byGit = ['(', '-iname', '.git', '-o', '-name', 'HEAD', ')']
  await find(place, openDirectories)
  // Deepest first, so that a folder is renamed after its content.
  const found = await find(place, ['-depth', '-mindepth', '1', ...byGit, '-print0'])
  for (const path of found) await rename(userPath(place, path), await freeName(userPath(place, path)))
}

/** An unused name, since the agent may have used any. */
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

/** Implements WorkTrees.setAside. */
export async function listSetAside({ aside }: Layout, under: string): Promise<readonly SetAside[]> {
  const names = (await unlessMissing(readdir(join(aside, under)))) ?? []
  return names
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => ({ ref: `${under}${name}`, folder: join(aside, under, name) }))
}

/** Implements WorkTrees.forgetSetAside. */
export async function forgetSetAside({ aside }: Layout, under: readonly string[]): Promise<void> {
  for (const refs of under) mustBeHidden(refs)
  for (const refs of under) await removeTree(join(aside, refs))
}
