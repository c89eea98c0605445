import type { ModelMessage, SystemModelMessage } from 'ai'

const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

/** Anthropic's caching, set when sending and never stored: the system prompt, the last tool and the last two turns. */
export const cacheMarks = {
  system: (content: string): SystemModelMessage => ({ role: 'system', content, providerOptions: mark }),
  lastTool: { providerOptions: mark },
  /** Marks what the model was told last, and the time before. */
  turns(messages: readonly ModelMessage[]): ModelMessage[] {
    const ends = messages.flatMap((_, index) => (endsTurn(messages[index + 1]) ? [index] : []))
    const marked = new Set(ends.slice(-2))
    return messages.map((message, index) => (marked.has(index) ? { ...message, providerOptions: mark } : message))
  },
}

/** Tool results and user messages that follow each other are one turn on the wire. */
function endsTurn(next: ModelMessage | undefined): boolean {
  return next === undefined || next.role === 'assistant'
}
