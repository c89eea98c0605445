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
  /** The lane's new to-do list. */
  readonly todos?: readonly Todo[]
}

/** Everything that a read-only tool may use; the workflow provides it. */
export interface ReadContext {
  readonly signal: AbortSignal
  /** True if the lane has a tool: answers must not name any other. Left out where no lane asks. */
  readonly has?: (tool: string) => boolean
  /**
   * The tree to read: the lane's own workspace; for the architect that of `coderId`, or without one
   * the run branch's tip. A refusal if access is denied.
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
  /** The messages of the lane's own story, and those of humans to the Run. */
  readonly messages: () => Promise<ToolOutcome>
}

export type Tree = { readonly ok: true; readonly files: Files } | { readonly ok: false; readonly outcome: ToolOutcome }

/** Everything that a tool which changes the workspace may use. */
export interface ToolContext extends ReadContext {
  readonly session: SandboxSession
  /** Identifies the call within its lane. */
  readonly callName: string
  /**
   * Keeps the output of the call for `output`; returns its name there, null if it could not be
   * kept.
   */
  readonly keepOutput: (text: string) => Promise<string | null>
  /** Selects the paths that git ignores. */
  readonly ignored: (paths: readonly string[]) => Promise<readonly string[]>
}

/**
 * A prepared edit: its expected change, and the action. After a crash the expectation shows if the
 * edit happened.
 */
export interface PreparedEdit {
  readonly expectation: Expectation
  readonly perform: () => Promise<ToolOutcome>
}

interface ToolBase<Input, Name extends string = string> {
  readonly name: Name
  /** One line on the tool's use to the agent. */
  readonly purpose: string
  /** Built on first use, since a lane needs few schemas; then shared. */
  readonly input: () => z.ZodType<Input>
  readonly roles: readonly AgentRole[]
}

/**
 * A tool that the loop runs, by kind of call: `read` changes nothing and simply runs again after a
 * crash, `edit` compares hashes, `command` may have happened, `outside` calls one of the user's MCP
 * servers.
 */
export type RunHere<Input = unknown> =
  | (ToolBase<Input> & {
      readonly kind: 'read'
      /**
       * True if the tool must not run in parallel with reads, since the sandbox may be closed for
       * it.
       */
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
       * Prepares the rest of an edit that was interrupted between its files: those in `settled` are
       * as after the edit, all others as before it. Left out by a tool that changes one place.
       */
      readonly resume?: (
        input: Input,
        context: ToolContext,
        settled: ReadonlySet<string>,
      ) => Promise<PreparedEdit | ToolOutcome>
    })

/**
 * A tool whose calls the workflow answers: for `wait` the lane waits; `terminal` ends it, and is
 * carried out after the other calls of its turn, if none of them failed.
 */
export type AnsweredLater<Input = unknown, Name extends string = string> = ToolBase<Input, Name> & {
  readonly kind: 'wait' | 'terminal'
}

export type Tool = RunHere | AnsweredLater

/** Ties handler and input type together; the registry holds tools of any input. */
export function defineTool<Input>(tool: RunHere<Input>): RunHere {
  return { ...tool, input: once(tool.input) } as unknown as RunHere
}

/** Keeps the name and the input type of a tool whose calls are handed over. */
export function defineAnsweredLater<const Name extends string, Input>(
  tool: AnsweredLater<Input, Name>,
): AnsweredLater<Input, Name> {
  return { ...tool, input: once(tool.input) }
}

/**
 * A field that models see as required from their first request on, because some calls need it. Its
 * absence from other calls is not an error.
 */
export function stated<Field extends z.ZodType>(field: Field): z.ZodOptional<Field> {
  return field.optional().meta({ [statedKey]: true })
}

/** Marks such a field in a schema until a model gets it. */
export const statedKey = 'x-stated'

export const done = (output: string): ToolOutcome => ({ ok: true, output })
export const refuse = (output: string): ToolOutcome => ({ ok: false, output })
