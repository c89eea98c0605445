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
 * Why a lane needs its workflow: a call that it must answer, or an end without the terminal tool.
 */
export type LaneRequest =
  | { readonly type: 'call'; readonly call: HandedOver }
  | {
      readonly type: 'stopped'
      readonly stop: LaneStop
      /** Why, in words and figures. */
      readonly cause: string
      /** For people: the call that was refused or failed last, or the last calls; null without. */
      readonly last: string | null
    }
  | {
      readonly type: 'model_failed'
      readonly error: ModelError
      /** The model's replies are cut or break off: a human is asked about this lane. */
      readonly isAsked?: true
    }
  | { readonly type: 'agent_failed'; readonly failure: AgentFailure }

/** What one step did; the workflow commits it in one transaction. */
export interface LaneStep {
  readonly event: LaneEvent
  readonly data: LaneData
  /** Appended to the conversation. */
  readonly messages: readonly Message[]
  readonly modelCall?: ModelCall
  /** Why that call failed. */
  readonly failure?: ModelError
  /** Why a turn of its foreign agent failed. */
  readonly agentFailure?: AgentFailure
  /** Finished, or only started when the workflow is to answer it. */
  readonly toolExecutions?: readonly ToolExecution[]
  /**
   * What was cut from what the model is sent: tokens of its next request before and after, about.
   */
  readonly cut?: { readonly stage: 'shortened' | 'summarized'; readonly before: number; readonly after: number }
  /** The model that was tried, and the result. */
  readonly tried?: TriedModel & { readonly model: string }
  readonly request?: LaneRequest
  /** The next step must wait this long, in milliseconds. */
  readonly delayMs?: number
}

/** How long a lane waits for its provider. */
export interface Patience {
  readonly clock: Pick<Clock, 'now' | 'random'>
  /** Its provider has answered something in this Run: it is there, and will be again. */
  readonly hasAnswered: () => Promise<boolean>
  readonly maxWaitMs: number
}

export interface LaneDependencies {
  readonly model: Model
  readonly clock: Pick<Clock, 'now' | 'random'>
  /** Is told what it does, for who looks on. */
  readonly live: LiveWork
  readonly patience: Patience
  /** Takes secrets out of what a tool answers. */
  readonly redact: Redact
  readonly conversation: Conversation
  /**
   * Tokens that a request and its reply may have together; null for a model to which nothing is too
   * long.
   */
  readonly contextWindow: number | null
  /** For replay files. */
  readonly facts: Readonly<Record<string, string>>
  /**
   * What humans wrote to the story since the lane heard of it last, and the id of the newest of
   * these messages; null when there is nothing new.
   */
  readonly news: { readonly text: string; readonly upTo: string } | null
  /**
   * What the repository says about files that the lane has just touched, and the files that say it;
   * null when there is nothing that it does not know.
   */
  readonly guides: { readonly text: string; readonly files: readonly string[] } | null
  /** What tools that only read need; opened when a call needs it. */
  readonly readContext: (signal: AbortSignal) => Promise<ReadContext>
  /** What tools that change the workspace need, too. */
  readonly editContext: (signal: AbortSignal) => Promise<ToolContext>
  /**
   * Calls a tool of one of the user's MCP servers, whose input nobody has checked; left out where
   * no lane has any.
   */
  readonly callOutside?: (tool: McpTool, input: unknown, signal: AbortSignal) => Promise<ToolOutcome>
  /** Seconds that a read or edit tool may take. */
  readonly toolTimeoutSec: number
  /** The row of a call that was started before a crash, else null. */
  readonly started: (turn: number, index: number) => Promise<ToolExecution | null>
  /** Stores that a call starts, before it runs, unless that was stored with the step before. */
  readonly start: (execution: ToolExecution) => Promise<void>
}
