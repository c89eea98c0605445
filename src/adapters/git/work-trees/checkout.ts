import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { allDone } from '../all-done.ts'
import { alternate } from '../alternate.ts'
import type { Git, GitOptions } from '../git.ts'
import type { HostParts } from '../git-parts.ts'
import { makeGitDir } from '../objects/make-git-dir.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { sinceStart } from '../since-start.ts'
import { moveIn } from './agent-git-dir.ts'
import { bringCommit } from './bring-commit.ts'
import { lastMove, sameAttributes } from './last-move.ts'
import { moveWorkTree, removeLocks, type WorkTree } from './move-work-tree.ts'
import { removeTree } from './remove-tree.ts'
import { shareHistory } from './share-history.ts'

type Parts = Pick<HostParts, 'layout' | 'git' | 'objects' | 'lock' | 'mirror'>

/**
 * See WorkTrees.checkout. Its `.git` is its own and kept as long as it is whole; only objects that
 * it lacks are fetched.
 */
export async function checkout(
  parts: Parts,
  { name, sha }: { name: string; sha: string },
  signal: AbortSignal,
): Promise<string> {
  const { layout, git, objects, lock } = parts
  const workTree = layout.checkout(name)
  await lock(`checkout-${name}`, signal, async (spawned) => {
    const options = { signal, spawned }
    const gitDir = join(workTree, '.git')
    await mkdir(workTree, { recursive: true })
    if (!(await isWhole(git, { gitDir, sha }, options))) await makeOwn(parts, { workTree, name, sha }, options)
    await removeLocks(gitDir)
    const last = lastMove(gitDir)
    const before = await last.read()
    await last.forget()
    const place = { gitDir, workTree, stamp: join(gitDir, 'drydock-stamp') }
    const from = { git, objects, mirror: layout.mirror }
    const [, hasMoved] = await allDone([
      pointTo(parts, { gitDir, before, sha }, options),
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

/** Whether a git directory is there that has what it says, as far as a look at its HEAD tells. */
async function isWhole(
  git: Git,
  { gitDir, sha }: { readonly gitDir: string; readonly sha: string },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<boolean> {
  if ((await sinceStart(join(gitDir, 'HEAD'))) === null) return false
  if ((await lastMove(gitDir).read()) !== sha) return true
  return (await git(['cat-file', '-e', `${sha}^{commit}`], { ...options, gitDir, exits: [1, 128] })).code === 0
}

/** It has the files of a clone's history, which are neither packed nor stored twice. */
async function makeOwn(
  parts: Parts,
  { workTree, name, sha }: { readonly workTree: string; readonly name: string; readonly sha: string },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
) {
  const { layout } = parts
  const scratch = join(layout.scratch, `checkout-${name}`)
  await removeTree(scratch)
  await makeGitDir(scratch, { mirror: layout.mirror, branch: 'master' })
  await shareHistory(parts, { gitDir: scratch, sha }, options)
  await moveIn(scratch, workTree, `${scratch}.old`)
}

/** Gets the commit and makes it the HEAD. */
async function pointTo(
  parts: Parts,
  { gitDir, before, sha }: { readonly gitDir: string; readonly before: string | null; readonly sha: string },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
) {
  if (before !== sha) await bringCommit(parts, { gitDir, sha }, options)
  await detachHead(gitDir, sha)
}

/** Writes the file whole and at once, as git does. */
async function detachHead(gitDir: string, sha: string): Promise<void> {
  const next = join(gitDir, 'HEAD.lock')
  await writeFile(next, `${sha}\n`, { flag: 'wx' })
  await rename(next, join(gitDir, 'HEAD'))
}
