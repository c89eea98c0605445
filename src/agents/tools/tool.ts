import type { z } from 'zod'
import type { AgentRole } from '../../domain/lane/lane.ts'
import type { Todo } from '../../domain/lane/todos.ts'
import type { McpTool } from '../../domain/mcp/mcp-tool.ts'
import { once } from '../../domain/once.ts'
import type { Files } from '../../ports/files.ts'
import type { Expectation } from '../../ports/rows.ts'
import type { SandboxSession } from '../../ports/sandbox.ts'

/** The answer to a model's call. */
export interface ToolOutcome {
  readonly ok: boolean
  readonly output: string
  /** What the lane keeps from now on as the list of its work. */
  readonly todos?: readonly Todo[]
}

/** Everything that a read-only tool may use; the workflow provides it. */
export interface ReadContext {
  readonly signal: AbortSignal
  /** Whether the lane has a tool: an answer names no other. Left out where no lane asks. */
  readonly has?: (tool: string) => boolean
  /**
   * The tree to read: the lane's own workspace; for the architect that of `coderId`, or without
   * one the run branch's tip. A refusal if it may not be reached.
   */
  readonly files: (coderId?: string) => Promise<Tree>
  readonly diff: (of: {
    readonly coderId?: string | undefined
    readonly path?: string | undefined
    readonly base?: string | undefined
  }) => Promise<ToolOutcome>
  /** A log of one of the story's own verifications, by `<run_id>/logs/<name>`. */
  readonly artifact: (reference: string) => Promise<ToolOutcome>
  /** The whole output of one of the lane's own commands, by the name that `keepOutput` gave it. */
  readonly output: (name: string) => Promise<ToolOutcome>
  /** The body of a skill of the base commit; left out where no lane asks. */
  readonly skill?: (name: string) => Promise<ToolOutcome>
  /** The thread of the lane's own story, and what humans wrote to the Run. */
  readonly messages: () => Promise<ToolOutcome>
}

export type Tree = { readonly ok: true; readonly files: Files } | { readonly ok: false; readonly outcome: ToolOutcome }

/** Everything that a tool which changes the workspace may use. */
export interface ToolContext extends ReadContext {
  readonly session: SandboxSession
  /** Names the call among all of its lane. */
  readonly callName: string
  /** Keeps the output of the call for `output`; its name there, null when it could not be kept. */
  readonly keepOutput: (text: string) => Promise<string | null>
  /** Which of the paths git ignores. */
  readonly ignored: (paths: readonly string[]) => Promise<readonly string[]>
}

/**
 * An edit that is ready: what it will change, and how to do it. After a crash the expectation shows
 * whether it happened.
 */
export interface PreparedEdit {
  readonly expectation: Expectation
  readonly perform: () => Promise<ToolOutcome>
}

interface ToolBase<Input, Name extends string = string> {
  readonly name: Name
  /** One line: what it does for the agent. */
  readonly purpose: string
  /** Made when it is asked for, as a lane needs few of them; once for all that ask. */
  readonly input: () => z.ZodType<Input>
  readonly roles: readonly AgentRole[]
}

/**
 * A tool that the loop runs, by what its call means: `read` changes nothing and is simply run again
 * after a crash, `edit` compares hashes, `command` may have happened, `outside` is a call of one of
 * the user's MCP servers.
 */
export type RunHere<Input = unknown> =
  | (ToolBase<Input> & {
      readonly kind: 'read'
      /** Not beside other reads: the sandbox may be closed for it. */
      readonly alone?: true
      readonly run: (input: Input, context: ReadContext) => Promise<ToolOutcome>
    })
  | (ToolBase<Input> & {
      readonly kind: 'command'
      readonly run: (input: Input, context: ToolContext) => Promise<ToolOutcome>
    })
  | (ToolBase<Input> & { readonly kind: 'outside'; readonly mcp: McpTool })
  | (ToolBase<Input> & {
      readonly kind: 'edit'
      readonly prepare: (input: Input, context: ToolContext) => Promise<PreparedEdit | ToolOutcome>
      /**
       * Prepares what is left to do when an interruption came between its files: those in `settled`
       * are as after the edit, all others as before it. Left out by a tool that changes one place.
       */
      readonly resume?: (
        input: Input,
        context: ToolContext,
        settled: ReadonlySet<string>,
      ) => Promise<PreparedEdit | ToolOutcome>
    })

/**
 * A tool whose calls the workflow answers: the lane waits for the answer of `wait`; `terminal` ends
 * it, and is carried out after the other calls of its turn, if none of them failed.
 */
export type AnsweredLater<Input = unknown, Name extends string = string> = ToolBase<Input, Name> & {
  readonly kind: 'wait' | 'terminal'
}

export type Tool = RunHere | AnsweredLater

/** Ties handler and input type together; the registry holds tools of any input. */
export function defineTool<Input>(tool: RunHere<Input>): RunHere {
  return { ...tool, input: once(tool.input) } as unknown as RunHere
}

/** Keeps the name and the input type of a tool whose calls are handed over with them. */
export function defineAnsweredLater<const Name extends string, Input>(
  tool: AnsweredLater<Input, Name>,
): AnsweredLater<Input, Name> {
  return { ...tool, input: once(tool.input) }
}

/**
 * A field that models are told is required, from their first request on, since some calls cannot do
 * without it. Where one can, its absence is no error.
 */
export function stated<Field extends z.ZodType>(field: Field): z.ZodOptional<Field> {
  return field.optional().meta({ [statedKey]: true })
}

/** Marks it in a schema until that is given to a model. */
export const statedKey = 'x-stated'

export const done = (output: string): ToolOutcome => ({ ok: true, output })
export const refuse = (output: string): ToolOutcome => ({ ok: false, output })
