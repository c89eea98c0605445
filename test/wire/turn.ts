import type { Json } from '../../src/domain/json.ts'
import type { Usage } from '../../src/domain/lane/message.ts'
import type { ModelErrorKind } from '../../src/ports/model.ts'

export interface WireCall {
  readonly tool: string
  readonly input: Json
  /** Of a tool that was offered in a group; only OpenAI's responses know it. */
  readonly namespace?: string
  /** Default: one that the format would make up. */
  readonly id?: string
  /** Sent as the arguments instead of `input`, where the format has them as text. */
  readonly rawInput?: string
}

/** One answer of the server; the turns of a replay file have the same shape. */
export interface WireTurn {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly WireCall[]
  readonly usage?: Partial<Usage>
  /** A failure as a replay file writes it, shown the way each provider would. */
  readonly error?: { readonly kind?: ModelErrorKind; readonly message?: string; readonly retryAfterMs?: number | null }
  /** An HTTP answer given as it is. */
  readonly refusal?: {
    readonly status: number
    readonly headers?: Record<string, string>
    readonly body?: string | Uint8Array
  }
  /** The answer waits for it. */
  readonly after?: Promise<unknown>
  /** The second half of a streamed answer waits for it. */
  readonly halfway?: Promise<unknown>
  /** Headers of a streamed answer. */
  readonly headers?: Record<string, string>
  /** The streamed answer as it comes over the wire, in pieces. */
  readonly sent?: (whole: string) => Iterable<string | Uint8Array>
  /** What happens to the answer on its way. */
  readonly fault?: Fault
  /** Why the provider says it stopped; default: it was done. */
  readonly stop?: 'length' | 'refused'
  /** The same in the provider's own word, whichever it is. */
  readonly rawStop?: string
}

/**
 * `hang`: nothing is sent. `reset`: the connection breaks at once. `broken`, `idle`, `no_end`,
 * `error_event`: after all of the answer but its end the connection breaks, falls silent, closes,
 * or carries an error event.
 */
export type Fault = 'hang' | 'reset' | 'broken' | 'idle' | 'no_end' | 'error_event'

/** How one provider speaks. */
export interface Dialect {
  readonly name: 'anthropic' | 'openai' | 'openai-compatible' | 'google' | 'ollama'
  readonly path: RegExp
  /** Default: an event stream. */
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
  /** Counts the requests of the server, from 1. */
  readonly number: number
  /** Whether the request asked for usage in the stream. */
  readonly wantsUsage: boolean
}

/** A text in the pieces that it is streamed in. */
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
