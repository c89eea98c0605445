import type { LaneData, LaneEvent, LaneStop } from '../domain/lane/lane.ts'
import type { Message } from '../domain/lane/message.ts'
import type { McpTool } from '../domain/mcp/mcp-tool.ts'
import type { Redact } from '../domain/secrets/redact.ts'
import type { Clock } from '../ports/clock.ts'
import type { AgentFailure } from '../ports/coding-agent.ts'
import type { LiveWork } from '../ports/live-work.ts'
import type { Model, ModelError, TriedModel } from '../ports/model.ts'
import type { ModelCall, ToolExecution } from '../ports/rows.ts'
import type { Conversation } from './conversation.ts'
import type { HandedOver } from './tools/handed-over.ts'
import type { ReadContext, ToolContext, ToolOutcome } from './tools/tool.ts'

/**
 * The reason why a lane needs its workflow: a call to answer, or an end without the terminal tool.
 */
export type LaneRequest =
  | { readonly type: 'call'; readonly call: HandedOver }
  | {
      readonly type: 'stopped'
      readonly stop: LaneStop
      /** The reason, in words and figures. */
      readonly cause: string
      /** For people: the last refused or failed call, or the last calls; null without any. */
      readonly last: string | null
    }
  | {
      readonly type: 'model_failed'
      readonly error: ModelError
      /** True if the model's replies are cut or break off: a human is asked about this lane. */
      readonly isAsked?: true
    }
  | { readonly type: 'agent_failed'; readonly failure: AgentFailure }

/** The result of one step; the workflow commits it in one transaction. */
export interface LaneStep {
  readonly event: LaneEvent
  readonly data: LaneData
  /** Messages to append to the conversation. */
  readonly messages: readonly Message[]
  readonly modelCall?: ModelCall
  /** The failure of that call. */
  readonly failure?: ModelError
  /** The failure of a foreign agent's turn. */
  readonly agentFailure?: AgentFailure
  /** Finished calls, or a started one that the workflow answers. */
  readonly toolExecutions?: readonly ToolExecution[]
  /**
   * A cut of the messages that the model gets: estimated tokens of the next request before and
   * after.
   */
  readonly cut?: { readonly stage: 'shortened' | 'summarized'; readonly before: number; readonly after: number }
  /** The tried model, and the result. */
  readonly tried?: TriedModel & { readonly model: string }
  readonly request?: LaneRequest
  /** The next step must wait this long, in milliseconds. */
  readonly delayMs?: number
}

/** The patience of a lane with its provider. */
export interface Patience {
  readonly clock: Pick<Clock, 'now' | 'random'>
  /** The provider has answered a request of this Run, so it exists, and will be back. */
  readonly hasAnswered: () => Promise<boolean>
  readonly maxWaitMs: number
}

export interface LaneDependencies {
  readonly model: Model
  readonly clock: Pick<Clock, 'now' | 'random'>
  /** Receives live progress for anyone watching. */
  readonly live: LiveWork
  readonly patience: Patience
  /** Removes secrets from the answers of tools. */
  readonly redact: Redact
  readonly conversation: Conversation
  /** Tokens of a request with its reply; null for a model without a known limit. */
  readonly contextWindow: number | null
  /** Values for replay files. */
  readonly facts: Readonly<Record<string, string>>
  /**
   * Messages from humans to the story since the lane last got any, and the id of the newest; null
   * without new ones.
   */
  readonly news: { readonly text: string; readonly upTo: string } | null
  /**
   * The repository's advice on files that the lane has just touched, and the files with that
   * advice; null without anything new to the lane.
   */
  readonly guides: { readonly text: string; readonly files: readonly string[] } | null
  /** The context of read-only tools; opened when a call needs it. */
  readonly readContext: (signal: AbortSignal) => Promise<ReadContext>
  /** The additional context of tools that change the workspace. */
  readonly editContext: (signal: AbortSignal) => Promise<ToolContext>
  /**
   * Calls a tool of one of the user's MCP servers with unchecked input; left out where no lane has
   * any.
   */
  readonly callOutside?: (tool: McpTool, input: unknown, signal: AbortSignal) => Promise<ToolOutcome>
  /** Seconds for a read or edit tool. */
  readonly toolTimeoutSec: number
  /** The row of a call that was started before a crash; otherwise null. */
  readonly started: (turn: number, index: number) => Promise<ToolExecution | null>
  /** Stores the start of a call before it runs, unless the step before stored it already. */
  readonly start: (execution: ToolExecution) => Promise<void>
}
