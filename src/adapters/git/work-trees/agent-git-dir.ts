import { constants } from 'node:fs'
import { chmod, copyFile, cp, lstat, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git, GitOptions } from '../git.ts'
import type { HostParts } from '../git-parts.ts'
import { unlessMissing } from '../unless-missing.ts'
import { pristineBranch, pristineClone } from './pristine-clone.ts'
import { removeTree } from './remove-tree.ts'

/**
 * Makes, at `scratch`, the `.git` that an agent gets: history of `tip` and no more, on a branch
 * `branch`, with objects of its own, no remote, no hooks. A copy that shares no file with anything,
 * since the agent may write to all of it.
 */
export async function makeAgentGitDir(
  { git, layout, lock, mirror }: HostParts,
  { tip, branch, scratch }: { readonly tip: string; readonly branch: string; readonly scratch: string },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<string> {
  await removeTree(scratch)
  await lock('clones', options.signal, async (spawned) => {
    const clone = await pristineClone({ git, layout, mirror }, tip, { ...options, spawned })
    await cp(clone, scratch, { recursive: true, mode: constants.COPYFILE_FICLONE })
  })
  const heads = join(scratch, 'refs', 'heads')
  await rename(join(heads, pristineBranch), join(heads, branch))
  await writeFile(join(scratch, 'HEAD'), `ref: refs/heads/${branch}\n`)
  return scratch
}

/**
 * Gives it an index of `tip`, made from the one that was just used on the work tree, so that files
 * known to be unchanged are not read again.
 */
export async function fillIndex(
  git: Git,
  what: { gitDir: string; index: string; workTree: string; tip: string; isTip: boolean },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<void> {
  const { gitDir, index, workTree, tip } = what
  await copyFile(index, join(gitDir, 'index'))
  if (!what.isTip) await git(['read-tree', '--reset', tip], { ...options, gitDir, workTree })
}

/** Puts it into the workspace in place of whatever the agent left as `.git`. */
export async function moveIn(gitDir: string, workTree: string, trash: string): Promise<void> {
  const place = join(workTree, '.git')
  const old = await unlessMissing(lstat(place))
  await removeTree(trash)
  // A directory that may not be written to cannot be renamed either.
  if (old?.isDirectory()) await chmod(place, 0o700)
  if (old !== null) await rename(place, trash)
  await rename(gitDir, place)
  await removeTree(trash)
}
