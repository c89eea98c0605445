import type { Json } from '../../../src/domain/json.ts'
import type { Dialect, WireCall, WireTurn } from '../turn.ts'

/**
 * The outcome of a malformed reply. `ran`: the intention is certain, and the call of this tool
 * succeeds. `told`: nothing runs, and the next request contains this message. `again`: the same
 * request is repeated. `ended`: no more requests are sent, and people get this message.
 */
export type Comes =
  | { readonly ran: string; readonly output?: string; readonly file?: string }
  | { readonly told: string }
  | { readonly ended: string }
  | 'again'

export interface MalformedReply {
  readonly name: string
  /** The reply, in each format that can express it. */
  readonly turn: WireTurn | ((dialect: Dialect['name']) => WireTurn | null)
  readonly comes: Comes | ((dialect: Dialect['name']) => Comes)
}

/** A call with a model's literal arguments; objects if the format has no text. */
export function written(tool: string, text: string, id?: string): WireCall {
  return { tool, input: parsed(text), rawInput: text, ...(id !== undefined && { id }) }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
