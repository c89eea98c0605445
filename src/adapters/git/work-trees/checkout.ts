import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { allDone } from '../all-done.ts'
import { alternate } from '../alternate.ts'
import type { Git, GitOptions } from '../git.ts'
import type { HostParts } from '../git-parts.ts'
import { fetchCommit } from '../history/fetch-commit.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { objectFormat } from '../revision.ts'
import { unlessMissing } from '../unless-missing.ts'
import { lastMove, sameAttributes } from './last-move.ts'
import { moveWorkTree, removeLocks, type WorkTree } from './move-work-tree.ts'
import { removeTree } from './remove-tree.ts'
import { shareHistory } from './share-history.ts'

type Parts = Pick<HostParts, 'layout' | 'git' | 'objects' | 'lock' | 'mirror'>

/**
 * See WorkTrees.checkout. Its `.git` is its own and kept; only objects that it lacks are fetched.
 */
export async function checkout(
  { layout, git, objects, lock, mirror }: Parts,
  { name, sha }: { name: string; sha: string },
  signal: AbortSignal,
): Promise<string> {
  const workTree = layout.checkout(name)
  await lock(`checkout-${name}`, signal, async (spawned) => {
    const options = { signal, spawned }
    const gitDir = join(workTree, '.git')
    await mkdir(workTree, { recursive: true })
    if ((await unlessMissing(stat(gitDir))) === null)
      await makeGitDir({ layout, git, objects, lock, mirror }, gitDir, { name, sha }, options)
    await removeLocks(gitDir)
    const last = lastMove(gitDir)
    const before = await last.read()
    await last.forget()
    const place = { gitDir, workTree, stamp: join(gitDir, 'drydock-stamp') }
    const from = { git, objects, mirror: layout.mirror }
    const [, hasMoved] = await allDone([
      pointTo({ ...from, gitDir }, { before, sha }, options),
      before === null ? false : moveWhole({ ...from, place }, { before, sha }, options),
    ])
    if (hasMoved) await last.remember(sha)
    else await moveWorkTree({ git, objects }, place, { treeish: sha, options })
  })
  return workTree
}

interface From {
  readonly git: Git
  readonly objects: ReadObject
  readonly mirror: string
}

/**
 * The last move came to its end, and sandboxes only ever read a checkout: the index can be
 * believed. Takes what the git directory does not have yet from the mirror. False when git will not
 * do it that way.
 */
async function moveWhole(
  { git, objects, mirror, place: { gitDir, workTree } }: From & { place: WorkTree },
  { before, sha }: { readonly before: string; readonly sha: string },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<boolean> {
  const environment = alternate(join(mirror, 'objects'))
  if (!(await sameAttributes(objects, { from: before, to: sha }))) return false
  try {
    await git(['read-tree', '--reset', '-u', sha], { ...options, environment, gitDir, workTree })
    await git(['clean', '--quiet', '-ffdx'], { ...options, gitDir, workTree })
    return true
  } catch (error) {
    if (error instanceof DrydockError && error.code === 'git_failed') return false
    throw error
  }
}

/** It has the files of a clone's history, which are neither packed nor stored twice. */
async function makeGitDir(
  parts: Parts,
  gitDir: string,
  { name, sha }: { name: string; sha: string },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
) {
  const { layout, git } = parts
  const scratch = join(layout.scratch, `checkout-${name}`)
  await removeTree(scratch)
  await git(['init', '--quiet', '--template=', `--object-format=${objectFormat(sha)}`, scratch], options)
  await shareHistory(parts, { gitDir: join(scratch, '.git'), sha }, options)
  await rename(join(scratch, '.git'), gitDir)
  await removeTree(scratch)
}

/**
 * Gets the commit and makes it the HEAD. Only the commit of the last move is looked for first: any
 * other is nearly always new, and git fetches nothing of one that is there.
 */
async function pointTo(
  { git, mirror, gitDir }: Omit<From, 'objects'> & { gitDir: string },
  { before, sha }: { readonly before: string | null; readonly sha: string },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
) {
  const isHere = async () =>
    (await git(['cat-file', '-e', `${sha}^{commit}`], { ...options, gitDir, exits: [1, 128] })).code === 0
  if (before !== sha || !(await isHere()))
    await fetchCommit(git, { mirror, sha }, { gitDir, ref: 'refs/drydock/commit', options })
  await detachHead(gitDir, sha)
}

/** As git writes it: whole, and on the disk before it takes the place of the one before. */
async function detachHead(gitDir: string, sha: string): Promise<void> {
  const next = join(gitDir, 'HEAD.lock')
  await writeFile(next, `${sha}\n`, { flag: 'wx', flush: true })
  await rename(next, join(gitDir, 'HEAD'))
}
