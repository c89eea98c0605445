import { constants } from 'node:fs'
import { chmod, copyFile, cp, lstat, mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { OnProgress } from '../../../domain/progress.ts'
import type { Git, GitOptions } from '../git.ts'
import type { HostParts } from '../git-parts.ts'
import { lendPacks } from '../history/link-objects.ts'
import { unlessMissing } from '../unless-missing.ts'
import type { WorkTree } from './move-work-tree.ts'
import { pristineBranch, pristineClone } from './pristine-clone.ts'
import { removeTree } from './remove-tree.ts'

interface AgentGitDir {
  readonly tip: string
  readonly branch: string
  readonly scratch: string
  readonly history: string
  readonly onProgress?: OnProgress | undefined
}

/**
 * Makes, at `scratch`, the `.git` that an agent gets: history of `tip` and no more, on a branch
 * `branch`, no remote, no hooks. It shares no file with anything, since the agent may write to all
 * of it. Objects of the history are in `history`, beside the workspace, which the agent can only
 * read: links to the packs of a clone, so that they stay when the clone goes. Where there are no
 * links, the `.git` has a copy.
 */
export async function makeAgentGitDir(
  { git, layout, objects, lock, mirror }: Pick<HostParts, 'git' | 'layout' | 'objects' | 'lock' | 'mirror'>,
  { tip, branch, scratch, history, onProgress }: AgentGitDir,
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<string> {
  await removeTree(scratch)
  await lock('clones', options.signal, async (spawned) => {
    const clone = await pristineClone({ git, layout, objects, mirror }, tip, { ...options, spawned, onProgress })
    const isLent = await lendPacks(clone, history)
    const packs = join(clone, 'objects', 'pack')
    const filter = (path: string) => !isLent || path !== packs
    await cp(clone, scratch, { recursive: true, mode: constants.COPYFILE_FICLONE, filter })
    if (isLent) await borrowFrom(scratch, history)
  })
  const heads = join(scratch, 'refs', 'heads')
  await rename(join(heads, pristineBranch), join(heads, branch))
  await writeFile(join(scratch, 'HEAD'), `ref: refs/heads/${branch}\n`)
  return scratch
}

/** By the way from `.git/objects` to what is beside the workspace, on the host and in a sandbox. */
async function borrowFrom(gitDir: string, history: string): Promise<void> {
  const info = join(gitDir, 'objects', 'info')
  await mkdir(info, { recursive: true })
  await writeFile(join(info, 'alternates'), `../../../${basename(history)}\n`)
}

/**
 * Gives it an index of `tip`, made from the one that was just used on the work tree, so that files
 * known to be unchanged are not read again. Git reads the objects of the mirror: the `.git` is not
 * in its place yet.
 */
export async function fillIndex(
  git: Git,
  { gitDir, place, tip, isTip }: { gitDir: string; place: WorkTree; tip: string; isTip: boolean },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<void> {
  const index = join(gitDir, 'index')
  await copyFile(join(place.gitDir, 'index'), index)
  const environment = { GIT_INDEX_FILE: index }
  if (!isTip) await git(['read-tree', '--reset', tip], { ...options, ...place, environment })
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
