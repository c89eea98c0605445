import type { RunnerReply, RunnerRequest } from '../../../ports/sandbox.ts'

/** The first line of standard input. */
export interface RunnerSetup {
  readonly cwd: string
  /** Environment of commands; the runner itself has none of it. */
  readonly env: Readonly<Record<string, string>>
  /** Program and arguments that a command's text is appended to. */
  readonly shell: readonly string[]
  readonly ripgrep: string
}

/** Every further line: a request with its number, or the number of one to give up. */
export type RunnerLine = { readonly id: number; readonly request: RunnerRequest } | { readonly abort: number }

/** `{}` once it is ready, then one line for each request. */
export type RunnerAnswer = { readonly id: number; readonly reply: RunnerReply<RunnerRequest['op']> }

export type Request<Op extends RunnerRequest['op']> = Extract<RunnerRequest, { op: Op }>
