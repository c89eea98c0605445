import type { RunnerReply, RunnerRequest } from '../../../ports/sandbox.ts'

/** The first line of standard input. */
export interface RunnerSetup {
  readonly cwd: string
  /** The environment of commands, which the runner itself does not have. */
  readonly env: Readonly<Record<string, string>>
  /** Program and arguments, to which a command's text is appended. */
  readonly shell: readonly string[]
  readonly ripgrep: string
}

/** Each further line is a request with its number, or the number of a request to abort. */
export type RunnerLine = { readonly id: number; readonly request: RunnerRequest } | { readonly abort: number }

/** `{}` when the runner is ready, then one line per request. */
export type RunnerAnswer = { readonly id: number; readonly reply: RunnerReply<RunnerRequest['op']> }

export type Request<Op extends RunnerRequest['op']> = Extract<RunnerRequest, { op: Op }>
