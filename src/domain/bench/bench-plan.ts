import type { AttemptKey, AttemptVerdict } from './attempt-record.ts'

/** What must be the same for a bench to be resumed. */
export interface BenchSettings {
  readonly suite: string
  readonly digest: string
  readonly models: string
  readonly version: string
}

/** An attempt that a command line asks for. */
export interface PlannedAttempt extends AttemptKey {
  /** What a self-test expects of it; null where nothing is expected. */
  readonly expected: AttemptVerdict | null
}

/** Names a process beyond its id, which the system gives again. */
export interface ProcessMark {
  readonly pid: number
  /** When it began, in a form of the system's own; null where the system does not tell. */
  readonly began: string | null
}

/** What a bench works on, as the newest command line asks for it. */
export interface BenchPlan {
  /** ISO 8601; of the first command line. */
  readonly started_at: string
  readonly attempts: readonly PlannedAttempt[]
  /** Who works on it; null once that process has stopped in good order. */
  readonly process: ProcessMark | null
}

/** Folder of an attempt under way: its name, and what keeps it apart from that of a killed one. */
export function workName(attempt: string, mark: string): string {
  return `${attempt}-${mark}`
}

/** The attempt whose folder it is; null for any other folder. */
export function attemptOfWork(name: string): string | null {
  return /^(.+)-[0-9a-f]{8}$/.exec(name)?.[1] ?? null
}
