import { chmod, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { allDone } from '../all-done.ts'
import type { Git, GitOptions } from '../git.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { unlessMissing } from '../unless-missing.ts'
import { find, openDirectories } from './find.ts'
import { inIndex, lastMove, sameAttributes } from './last-move.ts'

export interface WorkTree {
  /** Never one that an agent wrote. */
  readonly gitDir: string
  readonly workTree: string
  /**
   * A file whose modification time says when the times in the index were last true of the work
   * tree.
   */
  readonly stamp: string
}

interface Move {
  readonly treeish: string
  readonly options: Pick<GitOptions, 'signal' | 'spawned'>
}

/**
 * Makes the work tree, except its `.git`, what a fresh checkout of `treeish` is, down to
 * permissions, rewriting only what differs. Git's own test for "unchanged" can be fooled by a
 * program that sets times back: a file that was touched since the stamp, has odd permissions or a
 * second link is therefore removed first.
 */
export async function moveWorkTree(
  { git, objects }: { readonly git: Git; readonly objects: ReadObject },
  place: WorkTree,
  to: Move,
): Promise<void> {
  const { gitDir, workTree } = place
  const run = (...args: readonly string[]) => git(args, { ...to.options, gitDir, workTree })
  const take = () => run('read-tree', '--reset', '-u', to.treeish)
  const anew = async () => {
    await empty(place, to.options)
    await take()
  }
  await chmod(workTree, 0o777 & ~process.umask())
  await removeLocks(gitDir)
  const last = lastMove(gitDir)
  const from = (await isKnown(place)) ? await last.read() : null
  await last.forget()
  await inIndex(gitDir).forget()
  const isKept = from !== null && (await onlySuspiciousGone(objects, place, { from, ...to }))
  await rm(place.stamp, { force: true })
  try {
    if (!isKept) await anew()
    else {
      await take()
      await run('clean', '--quiet', '-ffdx')
    }
  } catch (error) {
    if (!(error instanceof DrydockError && error.code === 'git_failed')) throw error
    await anew()
  }
  await settle(place)
  await inIndex(gitDir).remember(to.treeish)
  await last.remember(to.treeish)
}

/**
 * Whoever calls this holds the lock of the git directory: a lock file of git in it was left by a
 * git that was killed.
 */
export async function removeLocks(gitDir: string): Promise<void> {
  const names = ['index.lock', 'snapshot.index.lock', 'HEAD.lock', 'shallow.lock', 'config.lock', 'packed-refs.lock']
  await Promise.all(names.map((name) => rm(join(gitDir, name), { force: true })))
}

/**
 * Called when what the index says of times is true of the work tree. When it returns, a file that
 * changes is newer than the stamp: the clock of the file system, which may tick every few
 * milliseconds only, has moved on.
 */
export async function settle({ gitDir, stamp }: WorkTree): Promise<void> {
  // Git reads again every file that is not a full second older than its index. The stamp is exact
  // and makes that needless.
  const ahead = Math.floor(Date.now() / 1000) + 60
  await utimes(join(gitDir, 'index'), ahead, ahead)
  await betweenTicks(stamp)
}

/**
 * Writes the file, and waits until the clock of the file system has moved on. Returns a time, in
 * milliseconds, that is later than the file and earlier than all that is written from now on.
 */
export async function betweenTicks(path: string): Promise<number> {
  const then = await touch(path)
  for (;;) {
    const now = await touch(`${path}.next`)
    if (now - then >= aMillisecond) return Number(then + now) / 2e6
    await delay(1)
  }
}

const aMillisecond = 1_000_000n

async function touch(path: string): Promise<bigint> {
  await writeFile(path, 'The times in the index were true of the work tree when this file was written.\n')
  return (await stat(path, { bigint: true })).mtimeNs
}

/** Without a stamp nothing vouches for the files that the index calls unchanged. */
async function isKnown({ gitDir, stamp }: WorkTree): Promise<boolean> {
  const found = await Promise.all([unlessMissing(stat(stamp)), unlessMissing(stat(join(gitDir, 'index')))])
  return !found.includes(null)
}

/** False when the files have to be written anew. */
async function onlySuspiciousGone(
  objects: ReadObject,
  place: WorkTree,
  { from, treeish: to, options }: Move & { readonly from: string },
): Promise<boolean> {
  const [isSame] = await allDone([sameAttributes(objects, { from, to }), removeSuspicious(place, options)])
  return isSame
}

async function removeSuspicious({ workTree, stamp }: WorkTree, options: Move['options']) {
  const fresh = (mode: number) => (mode & ~process.umask()).toString(8)
  const oddDirectory = [
    '(',
    '-type',
    'd',
    '!',
    '-perm',
    fresh(0o777),
    '-exec',
    'chmod',
    fresh(0o777),
    '{}',
    ';',
    '-type',
    'f',
    ')',
  ]
  const special = ['!', '-type', 'f', '!', '-type', 'l']
  const oddFile = ['-type', 'f', '(', '-links', '+1', '-o', '!', '-perm', fresh(0o666), '!', '-perm', fresh(0o777), ')']
  const suspicious = [...special, '-o', '-cnewer', stamp, '-o', ...oddFile]
  await find(
    workTree,
    [
      ...['-path', './.git', '-prune', '-o', ...oddDirectory, '-o'],
      ...['!', '-type', 'd', '(', ...suspicious, ')', '-exec', 'rm', '-f', '{}', '+'],
    ],
    options,
  )
}

/** Removes everything but `.git`, and the index with it. */
async function empty({ gitDir, workTree }: WorkTree, options: Move['options']) {
  await rm(join(gitDir, 'index'), { force: true })
  if ((await readdir(workTree)).every((name) => name === '.git')) return
  await find(workTree, ['-path', './.git', '-prune', '-o', ...openDirectories], options)
  const everything = ['!', '-name', '.', '-prune', '!', '-name', '.git']
  await find(workTree, [...everything, '-exec', 'rm', '-rf', '{}', '+'], options)
}
