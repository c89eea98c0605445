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
  /** A git directory that an agent never wrote to. */
  readonly gitDir: string
  readonly workTree: string
  /** A file whose modification time says when the times in the index last matched the work tree. */
  readonly stamp: string
}

interface Move {
  readonly treeish: string
  readonly options: Pick<GitOptions, 'signal' | 'spawned'>
}

/**
 * Makes the work tree, except its `.git`, equal to a fresh checkout of `treeish`, including
 * permissions, and rewrites only files that differ. A program that sets times back can fool git's
 * own check for changes. Files that were touched since the stamp, have unusual permissions or a
 * second link are therefore removed first.
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
 * Removes git's lock files. The caller holds the lock of the git directory, so a killed git has
 * left them.
 */
export async function removeLocks(gitDir: string): Promise<void> {
  const names = ['index.lock', 'snapshot.index.lock', 'HEAD.lock', 'shallow.lock', 'config.lock', 'packed-refs.lock']
  await Promise.all(names.map((name) => rm(join(gitDir, name), { force: true })))
}

/**
 * Called when the times in the index match the work tree. After it returns, a file that changes is
 * newer than the stamp, because the file system's clock, which may tick only every few
 * milliseconds, has advanced.
 */
export async function settle({ gitDir, stamp }: WorkTree): Promise<void> {
  // Git rereads every file that is not a full second older than its index. The stamp is exact, so
  // the index gets a time in the future.
  const ahead = Math.floor(Date.now() / 1000) + 60
  await utimes(join(gitDir, 'index'), ahead, ahead)
  await betweenTicks(stamp)
}

/**
 * Writes the file, and waits until the file system's clock has advanced. Returns a time, in
 * milliseconds, between the file's time and that of all later writes.
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

/** False without a stamp: the files that the index calls unchanged cannot be trusted then. */
async function isKnown({ gitDir, stamp }: WorkTree): Promise<boolean> {
  const found = await Promise.all([unlessMissing(stat(stamp)), unlessMissing(stat(join(gitDir, 'index')))])
  return !found.includes(null)
}

/** Returns false if all files have to be written again. */
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
      '-path',
      './.git',
      '-prune',
      '-o',
      ...oddDirectory,
      '-o',
      '!',
      '-type',
      'd',
      '(',
      ...suspicious,
      ')',
      '-exec',
      'rm',
      '-f',
      '{}',
      '+',
    ],
    options,
  )
}

/** Removes everything but `.git`, and also the index. */
async function empty({ gitDir, workTree }: WorkTree, options: Move['options']) {
  await rm(join(gitDir, 'index'), { force: true })
  if ((await readdir(workTree)).every((name) => name === '.git')) return
  await find(workTree, ['-path', './.git', '-prune', '-o', ...openDirectories], options)
  const everything = ['!', '-name', '.', '-prune', '!', '-name', '.git']
  await find(workTree, [...everything, '-exec', 'rm', '-rf', '{}', '+'], options)
}
