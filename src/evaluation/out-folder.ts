import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AttemptKey, type AttemptRecord, armName, attemptName } from '../domain/bench/attempt-record.ts'
import type { BenchPlan, BenchSettings, PlannedAttempt } from '../domain/bench/bench-plan.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { writeWhole } from '../files/write-whole.ts'
import { processMark } from '../processes/process-mark.ts'
import type { BenchReport } from './report/bench-report.ts'
import { markdownOf } from './report/markdown.ts'
import { predictionLine } from './report/predictions.ts'

/** The folder that a bench writes to; see docs/evaluation.md. */
export interface OutFolder {
  /** The files of one attempt. */
  files(key: AttemptKey): { readonly log: string; readonly patch: string }
  /** The folder in which attempts work. */
  readonly work: string
  /** Shows, while `act` runs, that this process works on these attempts. */
  hold<Result>(attempts: readonly PlannedAttempt[], act: () => Promise<Result>): Promise<Result>
  finished(): Promise<readonly AttemptRecord[]>
  finish(record: AttemptRecord): Promise<void>
  writeReport(report: BenchReport): Promise<void>
  /** Lets another process use the folder. */
  close(): void
}

interface Lock {
  release(): void
}

interface Opening {
  readonly resume: boolean
  /** Null while another process has the lock. */
  readonly takeLock: (file: string) => Lock | null
}

const lockName = 'bench.lock'
/** True for the lock, and for the files that SQLite puts beside it. */
const isOfLock = (name: string) => name.startsWith(lockName)
const planOf = (folder: string) => readJson<BenchPlan>(join(folder, 'plan.json'))

/**
 * Opens the folder for a new bench, or resumes the one in it. The folder is locked until it is
 * closed.
 */
export async function openOutFolder(
  folder: string,
  settings: BenchSettings,
  { resume, takeLock }: Opening,
): Promise<OutFolder> {
  await mkdir(folder, { recursive: true })
  const names = await readdir(folder)
  if (names.length > 0 && !names.includes('bench.json') && !names.some(isOfLock)) throw otherFiles(folder)
  const lock = takeLock(join(folder, lockName))
  if (lock === null) {
    const pid = (await planOf(folder))?.process?.pid
    const who = pid === undefined ? 'Another process' : `Process ${pid}`
    throw usage(`${who} works on the bench in ${folder}.`, 'Wait until it has ended.')
  }
  try {
    return await openLocked(folder, settings, { resume, lock })
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openLocked(
  folder: string,
  settings: BenchSettings,
  { resume, lock }: { readonly resume: boolean; readonly lock: Lock },
): Promise<OutFolder> {
  const file = join(folder, 'bench.json')
  const before = await readJson<BenchSettings>(file)
  const attempts = join(folder, 'attempts')
  const finished = async () => {
    const names = (await readdir(attempts).catch(() => [])).filter((name) => name.endsWith('.json'))
    const read = await Promise.all(names.map((name) => readJson<AttemptRecord>(join(attempts, name))))
    return read.filter((record) => record !== null)
  }
  // The settings must match only if the earlier bench has measured anything, since attempts without
  // a measurement are repeated.
  const binds = before !== null && (await finished()).some(({ verdict }) => verdict !== 'error')
  if (before !== null && !resume)
    throw usage(`${folder} holds a bench already.`, 'Go on with it by --resume, or name another folder with --out.')
  if (before !== null && binds) checkSettings(folder, before, settings)
  const planFile = join(folder, 'plan.json')
  const planned = await planOf(folder)
  if (before === null && (await readdir(folder)).some((name) => !isOfLock(name))) throw otherFiles(folder)
  for (const name of ['attempts', 'events', 'patches', 'work']) await mkdir(join(folder, name), { recursive: true })
  if (!binds) await writeWhole(file, json(settings))
  const files = (key: AttemptKey) => ({
    log: join(folder, 'events', `${attemptName(key)}.jsonl`),
    patch: join(folder, 'patches', `${attemptName(key)}.patch`),
  })
  return {
    files,
    work: join(folder, 'work'),
    async hold(attempts, act) {
      const plan = { started_at: planned?.started_at ?? new Date().toISOString(), attempts }
      const say = (process: BenchPlan['process']) => writeWhole(planFile, json({ ...plan, process }))
      await say(processMark())
      try {
        return await act()
      } finally {
        await say(null)
      }
    },
    finished,
    finish: (record) => writeWhole(join(attempts, `${attemptName(record)}.json`), json(record)),
    async writeReport(report) {
      await writeWhole(join(folder, 'report.json'), json(report))
      await writeWhole(join(folder, 'report.md'), markdownOf(report))
      const groups = Object.groupBy(report.attempts, (of) => `predictions-${armName(of)}-${of.repeat}.jsonl`)
      for (const [name, group = []] of Object.entries(groups)) {
        const lines = group.map(async (record) => {
          const patch = await readFile(files(record).patch, 'utf8').catch(() => '')
          return `${predictionLine(record, { models: report.models, patch })}\n`
        })
        await writeWhole(join(folder, name), (await Promise.all(lines)).join(''))
      }
    },
    close: () => lock.release(),
  }
}

function checkSettings(folder: string, before: BenchSettings, settings: BenchSettings): void {
  const differs = (Object.keys(settings) as (keyof BenchSettings)[]).filter((key) => before[key] !== settings[key])
  if (differs.length === 0) return
  const what = differs.map((key) => (key === 'digest' ? 'the files of the suite' : key)).join(', ')
  throw usage(
    `The bench in ${folder} was started with other settings: ${what}.`,
    'Start a new one in another folder with --out, or go back to what it was started with.',
  )
}

function otherFiles(folder: string): DrydockError {
  return usage(`${folder} holds other files.`, 'Name a new or an empty folder with --out.')
}

function usage(message: string, todo: string): DrydockError {
  return new DrydockError('bad_usage', message, { todo })
}

async function readJson<T>(file: string): Promise<T | null> {
  const text = await readFile(file, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as T)
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
