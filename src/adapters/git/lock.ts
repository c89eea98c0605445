import { appendFileSync, rmSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { DrydockError } from '../../domain/drydock-error.ts'
import { lacksSpace } from '../../processes/lacks-space.ts'
import { type ProcessMark, processMark } from '../../processes/process-mark.ts'
import { abortable } from './abortable.ts'
import { endLeftover } from './leftover-process.ts'
import { unlessMissing } from './unless-missing.ts'

/**
 * Records a process that works under the lock, so that the next holder can end it if this process
 * is killed.
 */
export type OnSpawn = (pid: number) => void

/**
 * Runs `work` exclusively among all users of the lock's name, in this process and in others, in
 * order of arrival within one process. If the holder is killed, the operating system releases the
 * lock, and the next holder first ends the git processes that were left.
 */
export type Lock = <T>(
  name: string,
  signal: AbortSignal | undefined,
  work: (spawned: OnSpawn) => Promise<T>,
) => Promise<T>

const pollMs = 15
/** SQLite's primary result code, the low byte of `errcode`. */
const busy = 5

export function createLock(directory: string): Lock {
  const tails = new Map<string, Promise<void>>()
  return async (name, signal, work) => {
    const before = tails.get(name) ?? Promise.resolve()
    const { promise: mine, resolve: done } = Promise.withResolvers<void>()
    const tail = before.then(() => mine)
    tails.set(name, tail)
    try {
      await abortable(before, signal)
      return await acrossProcesses({ directory, name, signal }, work)
    } finally {
      done()
      void tail.then(() => tails.get(name) === tail && tails.delete(name))
    }
  }
}

async function acrossProcesses<T>(
  { directory, name, signal }: { directory: string; name: string; signal: AbortSignal | undefined },
  work: (spawned: OnSpawn) => Promise<T>,
): Promise<T> {
  await mkdir(directory, { recursive: true })
  // The operating system releases SQLite's exclusive lock when the process ends, unlike a lock that
  // is merely a file.
  const file = join(directory, `${name}.lock`)
  const database = explained(file, () => new DatabaseSync(file, { timeout: 0 }))
  try {
    while (!explained(file, () => exclusively(database)))
      await delay(pollMs, undefined, signal === undefined ? {} : { signal })
    const running = join(directory, `${name}.running`)
    await endLeftovers(running, signal)
    try {
      return await work((pid) => appendFileSync(running, lineOf(processMark(pid))))
    } finally {
      rmSync(running, { force: true })
    }
  } finally {
    database.close()
  }
}

function exclusively(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === busy) return false
    throw error
  }
}

function explained<T>(file: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!lacksSpace(error, dirname(file))) throw error
    throw new DrydockError('disk_full', `There is no space left for ${file}.`, {
      todo: 'Free some space and run the same command again. Nothing is lost.',
      cause: error,
    })
  }
}

async function endLeftovers(running: string, signal: AbortSignal | undefined) {
  const lines = (await unlessMissing(readFile(running, 'utf8'))) ?? ''
  // Processes that had ended before they were recorded have no start time, and neither have lines
  // that were not fully written.
  for (const [, pid = '', began = ''] of lines.matchAll(/^(\d+) (\S+)\n/gm))
    await endLeftover({ pid: Number(pid), began }, signal)
}

function lineOf({ pid, began }: ProcessMark): string {
  return `${pid} ${began ?? ''}\n`
}
