import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  type AcceptanceArm,
  type Arm,
  type AttemptKey,
  type AttemptRecord,
  attemptName,
} from '../domain/bench/attempt-record.ts'
import { workName } from '../domain/bench/bench-plan.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { runAttempt } from './attempt/run-attempt.ts'
import type { Program } from './attempt/run-drydock.ts'
import type { OutFolder } from './out-folder.ts'
import type { Suite, Task } from './suite/suite.ts'

export interface Benching {
  readonly program: Program
  readonly out: OutFolder
  readonly tasks: readonly Task[]
  readonly keys: readonly AttemptKey[]
  readonly jobs: number
  readonly modelFlags: readonly string[]
  readonly sandboxFlags: readonly string[]
  readonly signal: AbortSignal
  /** Called with each record, first with those of an earlier process. */
  readonly onRecord: (record: AttemptRecord, done: number) => void
  readonly removeFolder: (path: string) => Promise<void>
}

/**
 * The attempts of a bench: each task in each arm, round by round, so that repeats come last.
 * Attempts with and without acceptance tests are consecutive pairs.
 */
export function attemptKeys(
  tasks: readonly Task[],
  {
    arms,
    acceptance,
    repeats,
    play,
  }: {
    readonly arms: readonly Arm[] | null
    /** Null to use the configuration of each task. */
    readonly acceptance: readonly AcceptanceArm[] | null
    readonly repeats: number
    readonly play: string | null
  },
): readonly AttemptKey[] {
  return Array.from({ length: repeats }, (_, n) => n + 1).flatMap((repeat) =>
    tasks.flatMap((task) =>
      (arms ?? [ownArm(task)]).flatMap((arm) =>
        // `solo` has no gate that could use acceptance tests.
        ((arm === 'solo' ? null : acceptance) ?? [null]).map((each) => ({
          task: task.id,
          arm,
          acceptance: each,
          repeat,
          play,
        })),
      ),
    ),
  )
}

/** The attempts of the self-test: every solution of every task, in the arm of the task's mode. */
export function selfTestKeys({ tasks }: Pick<Suite, 'tasks'>): readonly AttemptKey[] {
  return tasks.flatMap((task) =>
    [...(task.gold === null ? [] : ['gold']), 'empty', ...Object.keys(task.wrong)].map((play) => ({
      task: task.id,
      arm: ownArm(task),
      acceptance: null,
      repeat: 1,
      play,
    })),
  )
}

function ownArm({ mode }: Task): Arm {
  return mode === 'run' ? 'crew' : 'task'
}

/** Makes the remaining attempts, and returns the records of all. */
export async function runBench(benching: Benching): Promise<readonly AttemptRecord[]> {
  const { out, tasks, keys, jobs, onRecord } = benching
  const finished = new Map((await out.finished()).map((record) => [attemptName(record), record]))
  const records = new Map<string, AttemptRecord>()
  const keep = (record: AttemptRecord) => {
    records.set(attemptName(record), record)
    onRecord(record, records.size)
  }
  const open: AttemptKey[] = []
  for (const key of keys) {
    const record = finished.get(attemptName(key))
    // An attempt without a measurement is repeated.
    if (record === undefined || record.verdict === 'error') open.push(key)
    else keep(record)
  }
  const stopping = new AbortController()
  const signal = AbortSignal.any([benching.signal, stopping.signal])
  const work = async () => {
    for (let key = open.shift(); key !== undefined; key = open.shift()) {
      const task = tasks.find(({ id }) => id === key.task)
      if (task === undefined) throw new Error(`no task ${key.task}`)
      const record = await attempt({ ...benching, signal }, task, key)
      await out.finish(record)
      keep(record)
    }
  }
  const workers = Array.from({ length: jobs }, () =>
    work().catch((error: unknown) => {
      stopping.abort(error)
      throw error
    }),
  )
  const ended = await Promise.allSettled(workers)
  benching.signal.throwIfAborted()
  for (const each of ended) if (each.status === 'rejected') throw stopping.signal.reason
  // Also removes the remains of a killed process.
  await benching.removeFolder(out.work)
  return keys.flatMap((key) => records.get(attemptName(key)) ?? [])
}

async function attempt(benching: Benching, task: Task, key: AttemptKey): Promise<AttemptRecord> {
  const { program, out, modelFlags, sandboxFlags, signal, removeFolder } = benching
  // A unique name, since a killed process may have left a folder that is still written to.
  const folder = join(out.work, workName(attemptName(key), randomUUID().slice(0, 8)))
  const { log, patch } = out.files(key)
  try {
    await removeFolder(log)
    return await runAttempt({ program, task, key, folder, log, patch, modelFlags, sandboxFlags, signal })
  } catch (error) {
    if (signal.aborted || error instanceof DrydockError) throw error
    return unmeasured(key, error)
  } finally {
    await removeFolder(folder)
  }
}

/**
 * The record of an attempt that failed for its own reasons: the others continue, and `--resume`
 * repeats it.
 */
function unmeasured(key: AttemptKey, error: unknown): AttemptRecord {
  return {
    ...key,
    verdict: 'error',
    outcome: 'ERROR',
    delivered: false,
    hidden: [],
    held_by_acceptance: null,
    questions: 0,
    returns: 0,
    cost_usd: null,
    tokens: 0,
    wall_ms: 0,
    base: '',
    commit: '',
    error: error instanceof Error ? error.message : String(error),
  }
}
