import type { AttemptKey, AttemptVerdict } from './attempt-record.ts'

/** Settings that must be unchanged for a bench to be resumed. */
export interface BenchSettings {
  readonly suite: string
  readonly digest: string
  readonly models: string
  readonly version: string
}

/** An attempt that a command line asks for. */
export interface PlannedAttempt extends AttemptKey {
  /** The verdict that a self-test expects; null where nothing is expected. */
  readonly expected: AttemptVerdict | null
}

/** Identifies a process beyond its id, which the system reuses. */
export interface ProcessMark {
  readonly pid: number
  /** The start of the process, in the system's own format; null where the system does not tell. */
  readonly began: string | null
}

/** The work of a bench, as the newest command line asks for it. */
export interface BenchPlan {
  /** ISO 8601; of the first command line. */
  readonly started_at: string
  readonly attempts: readonly PlannedAttempt[]
  /** The process that works on the bench; null once it has stopped in good order. */
  readonly process: ProcessMark | null
}

/**
 * The folder of an attempt in progress: its name, and a mark that sets it apart from a killed
 * one's.
 */
export function workName(attempt: string, mark: string): string {
  return `${attempt}-${mark}`
}

/** The attempt that owns this work folder; null for any other folder. */
export function attemptOfWork(name: string): string | null {
  return /^(.+)-[0-9a-f]{8}$/.exec(name)?.[1] ?? null
}
