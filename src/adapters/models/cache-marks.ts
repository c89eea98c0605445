import { createHash } from 'node:crypto'
import type { ModelRequest } from '../../ports/model.ts'
import type { ProviderOptions } from './connect.ts'
import type { PromptMessage } from './language-model.ts'

const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

/**
 * Anthropic's cache marks, set when a request is sent and never stored: on the system prompt, the
 * last tool and the last two turns.
 */
export const cacheMarks = {
  system: (content: string): PromptMessage => ({ role: 'system', content, providerOptions: mark }),
  lastTool: { providerOptions: mark },
  /** Marks the last two turns that the model received. */
  turns(messages: readonly PromptMessage[]): PromptMessage[] {
    const ends = messages.flatMap((_, index) => (endsTurn(messages[index + 1]) ? [index] : []))
    const marked = new Set(ends.slice(-2))
    return messages.map((message, index) => (marked.has(index) ? { ...message, providerOptions: mark } : message))
  },
}

/** Consecutive tool results and user messages are one turn in the API. */
function endsTurn(next: PromptMessage | undefined): boolean {
  return next === undefined || next.role === 'assistant'
}

/**
 * OpenAI finds cached prompts by a key. All requests of a conversation share one, which is derived
 * from the lane and the first message.
 */
export function withCacheKey(options: ProviderOptions, { lane, messages }: ModelRequest): ProviderOptions {
  const key = createHash('sha256')
    .update(JSON.stringify([lane, messages[0]]))
    .digest('hex')
    .slice(0, 32)
  return { ...options, openai: { ...options.openai, promptCacheKey: key } }
}
