import type { Json, JsonObject } from '../domain/json.ts'
import type { Message, ToolCall, Usage } from '../domain/lane/message.ts'

export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input, which is an object. */
  readonly inputSchema: JsonObject
}

export interface ModelRequest {
  /** The Run that asks: Runs get the places of a provider in turn. */
  readonly run: string
  /** The name of the conversation, as in replay files: `editor/task/PLANNING`. */
  readonly lane: string
  /** The number of model calls committed in this lane so far, including failed ones. */
  readonly turn: number
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSpec[]
  readonly maxOutputTokens: number
  /** True if the reply must be a call. Only a trial requires that. */
  readonly mustCall?: true
  /**
   * The values of `${coder_id}`, `${sha}` and `${run_id}` in a replay file. Never sent to a model.
   */
  readonly facts: Readonly<Record<string, string>>
}

/** The kinds of failure of a call that was made. */
export const modelErrorKinds = [
  'auth',
  'unknown_model',
  'no_access',
  'no_tools',
  'bad_request',
  'context_overflow',
  'prompt_truncated',
  'reply_truncated',
  'rate_limited',
  'overloaded',
  'network',
  'timeout',
  'interrupted',
  'replay_missing',
] as const

/**
 * `suspended`: nothing was sent, because the provider is down or asked to wait. This reply comes at
 * once.
 */
export type ModelErrorKind = (typeof modelErrorKinds)[number] | 'suspended'

export interface ModelError {
  readonly kind: ModelErrorKind
  /** The failure in one line, without secrets. */
  readonly message: string
  /** True if the same request may succeed later. */
  readonly retryable: boolean
  /** Milliseconds that the provider asked to wait, or until the next call may be made. */
  readonly retryAfterMs: number | null
  /** True if the provider answers no call, so the failure says nothing about this one. */
  readonly outage?: boolean
  /**
   * True if the call costs nothing: it was refused before any of it was answered, or it reached no
   * provider.
   */
  readonly free?: boolean
  /** True if the account's quota or credit is used up: no call can succeed for long. */
  readonly exhausted?: boolean
  /**
   * True if no provider's API answered: no connection, no valid certificate, a web page, a
   * redirect, an unknown path, or no answer within the longest wait.
   */
  readonly unreachable?: boolean
  /**
   * The remains of a reply that may cost money, without an error from the provider. `broken_off`:
   * its beginning, as after a lost connection. `unusable`: an answer that is not a reply. A retry
   * may help, waiting does not.
   */
  readonly came?: 'broken_off' | 'unusable'
  /** The remedy for a person, where it depends on the provider's settings. */
  readonly todo?: string
}

export type ModelReply =
  | {
      /**
       * `calls`: the model called tools. `end`: it ended its turn with text. `length`: the reply
       * was cut off. `refused`: the provider's filter refused it.
       */
      readonly stop: 'calls' | 'end' | 'length' | 'refused'
      readonly text: string
      readonly calls: readonly ToolCall[]
      /**
       * The provider's own form of the reply. Opaque; kept in the history and sent back unchanged.
       */
      readonly raw: { readonly provider: string; readonly content: Json } | null
      readonly usage: Usage | null
    }
  | { readonly stop: 'error'; readonly error: ModelError; readonly usage: Usage | null }

/** The parts of a recording that are not replies of the model. */
export interface Script {
  /** The human's answers, by the number of the escalation in the Run, from 1. */
  readonly human: readonly { readonly escalation: number; readonly reply: string }[]
  /** Names of stories in the order of their merges; null for the order of their approval. */
  readonly mergeOrder: readonly string[] | null
}

/** The next piece of a model's text, thought or call; secrets included. */
export interface HeardPiece {
  readonly kind: 'text' | 'thought' | 'call'
  readonly text: string
  /** For a call, its tool once that is known. */
  readonly tool?: string
}

/** Receives pieces as they arrive. Returns at once and never throws: the reply does not wait. */
export type Hear = (piece: HeardPiece) => void

/** The abilities of a model and its server that Drydock needs, as a small request showed them. */
export interface TriedModel {
  /** An ISO 8601 time. */
  readonly at: string
  /**
   * `forced`: the model called a tool only when it had to. `unknown`: the server refused or broke
   * the trial itself.
   */
  readonly calls: 'yes' | 'forced' | 'unknown'
  /** Null if no reply was complete. */
  readonly reportsUsage: boolean | null
  readonly endsStream: boolean
  /** Tokens of a request with its reply; null if the server does not say. */
  readonly window: number | null
}

/**
 * `known`: no request was needed. `tried`: the model was just tried. `no_tools`: it cannot be used.
 * `unanswered`: its provider is away, or refuses all calls. `usage` is null where nothing is paid.
 */
export type Trial =
  | { readonly type: 'known'; readonly found: TriedModel }
  | { readonly type: 'tried'; readonly found: TriedModel; readonly usage: Usage | null }
  | { readonly type: 'no_tools' | 'unanswered'; readonly error: ModelError; readonly usage: Usage | null }

/** Tries a model before its first use. The result is kept for a day, for all processes. */
export interface ModelTrial {
  /** Sends at most two small requests; none if the result is known. */
  run(request: Pick<ModelRequest, 'run' | 'lane' | 'turn'>, signal: AbortSignal): Promise<Trial>
  /** The result that is kept, without a request; null if there is none. */
  known(): Promise<TriedModel | null>
}

/** The answer of a provider to the question for its models, which costs nothing. */
export type ProviderAnswer = { readonly host: string } & (
  | { readonly answer: 'accepted' /** Null if it has no list of them. */; readonly models: readonly string[] | null }
  | { readonly answer: 'key_refused'; readonly status: number }
  | { readonly answer: 'failed'; readonly why: string }
)

/**
 * A model. Never rejects: a failed call is a reply with `stop: 'error'`, and an aborted one is
 * `interrupted`. Does not retry.
 */
export interface Model {
  /** The model as the user named it: `anthropic:claude-…`, `replay:demo.json`. */
  readonly id: string
  /** Present for a recording only: the human's answers and the order of merges come from it. */
  readonly script?: Script
  /**
   * The most tokens that a request and its reply may have together, as far as known. Without this
   * method, no request counts as too long.
   */
  contextWindow?(): Promise<number>
  /** The user's limit of tokens for a reply. */
  readonly replyTokens?: number
  /** Left out where a trial is pointless, as for a recording. */
  readonly trial?: ModelTrial
  /** `hear` gets pieces of the reply as they arrive, if the model streams. */
  reply(request: ModelRequest, signal: AbortSignal, hear?: Hear): Promise<ModelReply>
}
