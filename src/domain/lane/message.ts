import type { Json } from '../json.ts'

/**
 * A tool call, as a model wrote it. `invalid` is the reason why its input could not be parsed;
 * `input` is then the raw text.
 */
export interface ToolCall {
  readonly id: string
  readonly tool: string
  readonly input: Json
  readonly invalid?: string
}

export interface ToolResult {
  readonly callId: string
  readonly tool: string
  readonly output: string
  readonly ok: boolean
}

/**
 * One entry of a lane's conversation. Appended, never changed: the prefix of every request stays
 * byte-stable.
 */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly calls: readonly ToolCall[]
      /**
       * The provider's own form of this reply, to be sent back unchanged (reasoning blocks,
       * signatures). Opaque.
       */
      readonly raw?: { readonly provider: string; readonly content: Json }
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] }

/** Tokens of one model call. `input` includes tokens read from or written to a cache. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}
