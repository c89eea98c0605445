import type { Json } from '../../src/domain/json.ts'
import type { Usage } from '../../src/domain/lane/message.ts'
import type { ModelErrorKind } from '../../src/ports/model.ts'

export interface WireCall {
  readonly tool: string
  readonly input: Json
  /** Group of the tool; only OpenAI's responses have groups. */
  readonly namespace?: string
  /** An id; by default of the format's own kind. */
  readonly id?: string
  /** Replaces `input` as the sent arguments, in formats with text arguments. */
  readonly rawInput?: string
}

/** One answer of the server; the turns of a replay file have the same shape. */
export interface WireTurn {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly WireCall[]
  readonly usage?: Partial<Usage>
  /** A failure in the form of a replay file, shown as each provider would. */
  readonly error?: { readonly kind?: ModelErrorKind; readonly message?: string; readonly retryAfterMs?: number | null }
  /** A literal HTTP answer. */
  readonly refusal?: {
    readonly status: number
    readonly headers?: Record<string, string>
    readonly body?: string | Uint8Array
  }
  /** The answer waits for this promise. */
  readonly after?: Promise<unknown>
  /** The second half of a streamed answer waits for this promise. */
  readonly halfway?: Promise<unknown>
  /** Headers of a streamed answer. */
  readonly headers?: Record<string, string>
  /** Splits the streamed answer into the pieces that are sent. */
  readonly sent?: (whole: string) => Iterable<string | Uint8Array>
  /** A fault of the connection during the answer. */
  readonly fault?: Fault
  /** The provider's stop reason; by default the model was done. */
  readonly stop?: 'length' | 'refused'
  /** The stop reason in the provider's own word. */
  readonly rawStop?: string
}

/**
 * `hang`: nothing is sent. `reset`: the connection breaks at once. `broken`, `idle`, `no_end`,
 * `error_event`: after the whole answer except its end the connection breaks, becomes silent,
 * closes, or carries an error event.
 */
export type Fault = 'hang' | 'reset' | 'broken' | 'idle' | 'no_end' | 'error_event'

/** The format of one provider. */
export interface Dialect {
  readonly name: 'anthropic' | 'openai' | 'openai-compatible' | 'google' | 'ollama'
  readonly path: RegExp
  /** The content type; by default an event stream. */
  readonly contentType?: string
  /** The events of an answer, and those that end it. */
  frames(turn: WireTurn, at: WireContext): { readonly body: Iterable<string>; readonly end: readonly string[] }
  /** An error in the middle of a stream. */
  errorFrame(message: string): string
  /** The body of an HTTP error. */
  errorBody(error: { status: number; kind: ModelErrorKind; message: string }): Json
}

export interface WireContext {
  readonly model: string
  /** Number of the request at this server, from 1. */
  readonly number: number
  /** True if the request asked for usage in the stream. */
  readonly wantsUsage: boolean
}

/** A text in the pieces of its stream. */
export function* pieces(text: string): Iterable<string> {
  const size = Math.max(4, Math.ceil(text.length / 64))
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

export function argumentsOf(call: WireCall): string {
  return call.rawInput ?? JSON.stringify(call.input)
}

export function totals({ usage }: WireTurn) {
  return {
    input: usage?.input ?? 0,
    output: usage?.output ?? 0,
    read: usage?.cacheRead ?? 0,
    write: usage?.cacheWrite ?? 0,
  }
}
