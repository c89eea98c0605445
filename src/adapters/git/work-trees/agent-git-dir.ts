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
 * Makes, at `scratch`, the `.git` of an agent: only the history of `tip`, on a branch `branch`,
 * without remotes and hooks. It shares no file with anything, since the agent may write to all of
 * it. The objects of the history are in `history`, beside the workspace, where the agent can only
 * read them: hard links to the packs of a clone, which stay when the clone is removed. If hard
 * links are impossible, the `.git` holds a copy.
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

/**
 * Uses the path from `.git/objects` to the folder beside the workspace, which is the same on the
 * host and in a sandbox.
 */
async function borrowFrom(gitDir: string, history: string): Promise<void> {
  const info = join(gitDir, 'objects', 'info')
  await mkdir(info, { recursive: true })
  await writeFile(join(info, 'alternates'), `../../../${basename(history)}\n`)
}

/**
 * Gives the `.git` an index of `tip`, derived from the one just used on the work tree, so that
 * unchanged files are not read again. Git reads objects from the mirror here, because the `.git` is
 * not in its place yet.
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

/** Moves the `.git` into the workspace, in place of whatever the agent left there. */
export async function moveIn(gitDir: string, workTree: string, trash: string): Promise<void> {
  const place = join(workTree, '.git')
  const old = await unlessMissing(lstat(place))
  await removeTree(trash)
  // A directory without write permission cannot be renamed.
  if (old?.isDirectory()) await chmod(place, 0o700)
  if (old !== null) await rename(place, trash)
  await rename(gitDir, place)
  await removeTree(trash)
}
