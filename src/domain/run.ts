import type { ErrorCode } from './drydock-error.ts'
import type { Json } from './json.ts'
import type { Machine } from './machine.ts'
import type { RunConfig } from './run-config.ts'
import type { ScoutKind } from './scout-report.ts'
import type { Task } from './task.ts'

/** States of a Run that has no architect. The end states of a task's Run are those of its one story. */
export const runStates = ['WAITING', 'MONITORING', 'DONE', 'STUCK', 'INFRA_ERROR', 'CANCELLED', 'ERROR'] as const

export type RunState = (typeof runStates)[number]

export type RunEnd = Exclude<RunState, 'WAITING' | 'MONITORING' | 'ERROR'>

/** What was asked for. `commit` null means the user's working tree. */
export type RunRequest =
  | { readonly kind: 'task'; readonly task: Task; readonly dryRun: boolean; readonly apply: boolean }
  | { readonly kind: 'verify'; readonly commit: string | null }
  | { readonly kind: 'scout'; readonly scout: ScoutKind; readonly question: string }

/** Model ids by role, as the user named them. */
export interface RunModels {
  readonly editor: string
  readonly scout: string
}

/** What stopped a Run in ERROR, for people. */
export interface RunError {
  readonly code: ErrorCode
  readonly message: string
  readonly todo: string
}

export interface RunData {
  readonly request: RunRequest
  readonly target: string | null
  readonly configFile: string | null
  /** null for a verification. */
  readonly models: RunModels | null
  /** The coder slot that it holds from start to end. */
  readonly slot: string | null
  /** Pinned when the Run starts. */
  readonly base: string | null
  readonly config: RunConfig | null
  /** Name of the run branch, reserved when the Run starts. */
  readonly branch: string | null
  /** Files that `--apply` left in the working tree. */
  readonly applied: readonly string[] | null
  readonly diff: string | null
  /** The answer of a Run without a story: a verifier's response or a scout's report. */
  readonly answer: Json
  readonly error: RunError | null
  /** In ERROR, its slot holds work that is in no snapshot: it keeps the slot, and the workspace is not touched. */
  readonly unkept: boolean
  /** Machines whose next step waits until the Run is resumed from ERROR. */
  readonly parked: readonly string[]
}

export type Run = Machine<RunState, RunData>

export function isEnded(state: RunState): boolean {
  return state !== 'WAITING' && state !== 'MONITORING' && state !== 'ERROR'
}
