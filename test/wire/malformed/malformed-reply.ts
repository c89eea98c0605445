import type { Json } from '../../../src/domain/json.ts'
import type { Dialect, WireCall, WireTurn } from '../turn.ts'

/**
 * What a malformed reply comes to. `ran`: what was meant is certain, and is done: the call of this
 * tool succeeds. `told`: nothing runs, and the next request says this. `again`: the same request is
 * sent once more. `ended`: nothing is asked any more, and people are told this.
 */
export type Comes =
  | { readonly ran: string; readonly output?: string; readonly file?: string }
  | { readonly told: string }
  | { readonly ended: string }
  | 'again'

export interface Malformed {
  readonly name: string
  /** The reply, in each format that can carry it. */
  readonly turn: WireTurn | ((dialect: Dialect['name']) => WireTurn | null)
  readonly comes: Comes | ((dialect: Dialect['name']) => Comes)
}

/** A call with its arguments as a model wrote them; objects where the format has no text. */
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
