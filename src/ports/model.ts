import type { Json, JsonObject } from '../domain/json.ts'
import type { Message, ToolCall, Usage } from '../domain/lane/message.ts'

export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input, an object. */
  readonly inputSchema: JsonObject
}

export interface ModelRequest {
  /** Names the conversation, as replay files do: `editor/task/PLANNING`. */
  readonly lane: string
  /** Model calls committed in this lane so far, failed ones included. */
  readonly turn: number
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSpec[]
  readonly maxOutputTokens: number
  /**
   * What `${coder_id}`, `${sha}` and `${run_id}` of a replay file stand for. Never sent to a model.
   */
  readonly facts: Readonly<Record<string, string>>
}

/** Of calls that were made. */
export const modelErrorKinds = [
  'auth',
  'unknown_model',
  'no_access',
  'bad_request',
  'context_overflow',
  'prompt_truncated',
  'rate_limited',
  'overloaded',
  'network',
  'timeout',
  'interrupted',
  'replay_missing',
] as const

/**
 * `suspended`: nothing was sent, since the provider answers nobody or asked to wait; it says so at
 * once.
 */
export type ModelErrorKind = (typeof modelErrorKinds)[number] | 'suspended'

export interface ModelError {
  readonly kind: ModelErrorKind
  /** What happened, in one line, without secrets. */
  readonly message: string
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** What the provider asked to wait, in milliseconds; or until a call may be made again. */
  readonly retryAfterMs: number | null
  /** The provider answers nobody: the failure says nothing about this call. */
  readonly outage?: boolean
  /**
   * The call was refused before anything of it was answered, or never reached anyone: it costs
   * nothing.
   */
  readonly free?: boolean
  /**
   * Nobody answered as the provider's API does: no connection, no certificate, a page, a path that
   * is not there; or nobody for as long as is waited.
   */
  readonly unreachable?: boolean
  /** What a person can do about it, where that depends on the provider's settings. */
  readonly todo?: string
}

export type ModelReply =
  | {
      /**
       * `calls`: the model called tools. `end`: it ended its turn with text. `length`: cut off.
       * `refused`: by the provider's filter.
       */
      readonly stop: 'calls' | 'end' | 'length' | 'refused'
      readonly text: string
      readonly calls: readonly ToolCall[]
      /**
       * The provider's own form of the reply, opaque; kept in the history and sent back as it came.
       */
      readonly raw: { readonly provider: string; readonly content: Json } | null
      readonly usage: Usage | null
    }
  | { readonly stop: 'error'; readonly error: ModelError; readonly usage: Usage | null }

/** What a recording says beyond the model's replies. */
export interface Script {
  /** The human's answers, by the number of the escalation in the Run, from 1. */
  readonly human: readonly { readonly escalation: number; readonly reply: string }[]
  /**
   * Names of stories in the order in which they are merged; null for the order of their approval.
   */
  readonly mergeOrder: readonly string[] | null
}

/**
 * Never rejects: a call that failed is a reply with `stop: 'error'`; one that was aborted is
 * `interrupted`. Does not retry.
 */
export interface Model {
  /** As the user named it: `anthropic:claude-…`, `replay:demo.json`. */
  readonly id: string
  /** Of a recording only: whoever plays the person and the merges follows it. */
  readonly script?: Script
  /**
   * Tokens that a request and its reply may have together, as far as is known; without it nothing
   * is too long.
   */
  contextWindow?(): Promise<number>
  reply(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>
}
