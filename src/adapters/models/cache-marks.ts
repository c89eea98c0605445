import type { ModelMessage, SystemModelMessage } from 'ai'

const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

/** Anthropic's caching, set when sending and never stored: the system prompt, the last tool and the last two turns. */
export const cacheMarks = {
  system: (content: string): SystemModelMessage => ({ role: 'system', content, providerOptions: mark }),
  lastTool: { providerOptions: mark },
  /** Marks what ends the last two turns of the other side's: user or tool messages. */
  turns(messages: readonly ModelMessage[]): ModelMessage[] {
    const ends = messages.flatMap(({ role }, index) => (endsTurn(role, messages[index + 1]?.role) ? [index] : []))
    const marked = new Set(ends.slice(-2))
    return messages.map((message, index) => (marked.has(index) ? { ...message, providerOptions: mark } : message))
  },
}

/** Tool results and user messages that follow each other are one turn on the wire. */
function endsTurn(role: ModelMessage['role'], next: ModelMessage['role'] | undefined): boolean {
  return role !== 'assistant' && (next === undefined || next === 'assistant')
}
