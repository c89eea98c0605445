import type { z } from 'zod'
import type { AgentRole } from '../../domain/lane/lane.ts'
import type { Files } from '../../ports/files.ts'
import type { Expectation } from '../../ports/rows.ts'
import type { SandboxSession } from '../../ports/sandbox.ts'

/** What a model gets back from a call. */
export interface ToolOutcome {
  readonly ok: boolean
  readonly output: string
}

/** What a tool that only reads may use: what the workflow hands in. */
export interface ReadContext {
  readonly signal: AbortSignal
  /**
   * The tree that is read: the lane's own workspace; for the architect that of `coderId`, or
   * without one the run branch's tip. A refusal when it may not be reached.
   */
  readonly files: (coderId?: string) => Promise<Tree>
  readonly diff: (of: {
    readonly coderId?: string | undefined
    readonly path?: string | undefined
    readonly base?: string | undefined
  }) => Promise<ToolOutcome>
  /** A log of one of the story's own verifications, by `<run_id>/logs/<name>`. */
  readonly artifact: (reference: string) => Promise<ToolOutcome>
  /** The thread of the lane's own story, and what humans wrote to the Run. */
  readonly messages: () => Promise<ToolOutcome>
}

export type Tree = { readonly ok: true; readonly files: Files } | { readonly ok: false; readonly outcome: ToolOutcome }

/** What a tool that changes the workspace may use, too. */
export interface ToolContext extends ReadContext {
  readonly session: SandboxSession
  /** Which of the paths git ignores. */
  readonly ignored: (paths: readonly string[]) => Promise<readonly string[]>
}

/**
 * An edit that is ready: what it will change, and how to do it. After a crash the expectation tells
 * whether it happened.
 */
export interface PreparedEdit {
  readonly expectation: Expectation
  readonly perform: () => Promise<ToolOutcome>
}

interface ToolBase<Input> {
  readonly name: string
  /** One line: what it does for the agent. */
  readonly purpose: string
  readonly input: z.ZodType<Input>
  readonly roles: readonly AgentRole[]
}

/**
 * A tool, by what its call means: `read` changes nothing and is simply run again after a crash,
 * `edit` compares hashes, `command` may have happened. `wait` is answered later by the workflow;
 * `terminal` ends the lane and must be the only call of its turn.
 */
export type Tool<Input = unknown> =
  | (ToolBase<Input> & {
      readonly kind: 'read'
      readonly run: (input: Input, context: ReadContext) => Promise<ToolOutcome>
    })
  | (ToolBase<Input> & {
      readonly kind: 'command'
      readonly run: (input: Input, context: ToolContext) => Promise<ToolOutcome>
    })
  | (ToolBase<Input> & {
      readonly kind: 'edit'
      readonly prepare: (input: Input, context: ToolContext) => Promise<PreparedEdit | ToolOutcome>
    })
  | (ToolBase<Input> & { readonly kind: 'wait' | 'terminal' })

/** Ties handler and input type together; the registry holds tools of any input. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool
}

export const done = (output: string): ToolOutcome => ({ ok: true, output })
export const refuse = (output: string): ToolOutcome => ({ ok: false, output })
