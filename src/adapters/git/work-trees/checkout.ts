import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { alternate } from '../alternate.ts'
import type { Git, GitOptions } from '../git.ts'
import type { HostParts } from '../git-parts.ts'
import { makeGitDir } from '../objects/make-git-dir.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { sinceStart } from '../since-start.ts'
import { unlessMissing } from '../unless-missing.ts'
import { moveIn } from './agent-git-dir.ts'
import { bringCommit } from './bring-commit.ts'
import { lastMove, sameAttributes } from './last-move.ts'
import { moveWorkTree, removeLocks, type WorkTree } from './move-work-tree.ts'
import { openUnderNewName } from './new-name.ts'
import { removeTree } from './remove-tree.ts'
import { sameTimes } from './same-times.ts'
import { shareHistory } from './share-history.ts'

type Parts = Pick<HostParts, 'layout' | 'git' | 'objects' | 'lock' | 'mirror'>

/**
 * Implements WorkTrees.checkout. Only files that differ from the previous commit are written, but
 * nothing in the checkout reveals that: neither a name nor a time nor a git object.
 */
export async function checkout(
  parts: Parts,
  { name, sha }: { name: string; sha: string },
  signal: AbortSignal,
): Promise<string> {
  const { layout, git, objects, lock } = parts
  const link = layout.checkout(name)
  await lock(`checkout-${name}`, signal, async (spawned) => {
    const options = { signal, spawned }
    const isOfNow = (await sinceStart(link)) !== null
    const workTree = await openUnderNewName(link)
    const gitDir = join(workTree, '.git')
    const last = lastMove(gitDir)
    const before = isOfNow ? await last.read() : null
    await last.forget()
    await makeOwn(parts, { workTree, name, sha, isKept: before !== null }, options)
    const place = { gitDir, workTree, stamp: join(gitDir, 'drydock-stamp') }
    const from = { git, objects, mirror: layout.mirror }
    const hasMoved = before !== null && (await moveWhole({ ...from, place }, { before, sha }, options))
    if (!hasMoved) await moveWorkTree({ git, objects }, place, { treeish: sha, options })
    for (const file of ofMove) await rm(join(gitDir, file), { force: true })
    await last.remember(sha)
    await sameTimes({ git, objects }, place, { sha, options })
  })
  return link
}

interface From {
  readonly git: Git
  readonly objects: ReadObject
  readonly mirror: string
}

/**
 * Used if the last move was completed: sandboxes only read a checkout, so its index can be trusted.
 * Takes missing objects from the mirror. Returns false if git refuses.
 */
async function moveWhole(
  { git, objects, mirror, place: { gitDir, workTree } }: From & { place: WorkTree },
  { before, sha }: { readonly before: string; readonly sha: string },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<boolean> {
  const environment = alternate(join(mirror, 'objects'))
  if (!(await sameAttributes(objects, { from: before, to: sha }))) return false
  await removeLocks(gitDir)
  try {
    await git(['read-tree', '--reset', '-u', sha], { ...options, environment, gitDir, workTree })
    await git(['clean', '--quiet', '-ffdx'], { ...options, gitDir, workTree })
    return true
  } catch (error) {
    if (error instanceof DrydockError && error.code === 'git_failed') return false
    throw error
  }
}

interface Making {
  readonly workTree: string
  readonly name: string
  readonly sha: string
  /** True if the index of the work tree is still valid. */
  readonly isKept: boolean
}

/** Files that `moveWorkTree` leaves in the git directory, and that a checkout does not use. */
const ofMove = ['drydock-stamp', 'drydock-stamp.next', 'drydock-parent']

/**
 * Makes the checkout's own `.git`, with the commit and its history and nothing of an earlier
 * checkout. The history consists of links to a clone's files, which are neither repacked nor stored
 * twice.
 */
async function makeOwn(
  parts: Parts,
  { workTree, name, sha, isKept }: Making,
  options: Pick<GitOptions, 'signal' | 'spawned'>,
) {
  const { layout } = parts
  const scratch = join(layout.scratch, `checkout-${name}`)
  await removeTree(scratch)
  await makeGitDir(scratch, { mirror: layout.mirror, branch: 'master', settings: ['trustctime = false'] })
  await shareHistory(parts, { gitDir: scratch, sha }, options)
  await bringCommit(parts, { gitDir: scratch, sha }, options)
  await writeFile(join(scratch, 'HEAD'), `${sha}\n`)
  if (isKept) await unlessMissing(rename(join(workTree, '.git', 'index'), join(scratch, 'index')))
  await moveIn(scratch, workTree, `${scratch}.old`)
}
