import { lastWordsOf } from '../domain/lane/last-words.ts'
import type { Message, ToolCall, ToolResult } from '../domain/lane/message.ts'

const mostCalls = 12
const mostShown = 4
const inputChars = 120
const wordsChars = 300
const answerLines = 3
const answerChars = 400

/**
 * The last calls of a lane with their counts, for people; of each call the start of its arguments.
 */
export function lastCalls(messages: readonly Message[]): string | null {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : [])).slice(-mostCalls)
  if (calls.length === 0) return null
  const counts = new Map<string, number>()
  for (const { tool, input } of calls) {
    const shown = `${tool} ${JSON.stringify(input).slice(0, inputChars)}`
    counts.set(shown, (counts.get(shown) ?? 0) + 1)
  }
  const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, mostShown)
  const more = counts.size > most.length ? `, and ${counts.size - most.length} more` : ''
  return `last calls: ${most.map(([call, count]) => `${call}${count > 1 ? ` (${count} times)` : ''}`).join(', ')}${more}`
}

/** Prefix of the ids of calls that Drydock made for a model that only talked. */
export const madeFor = 'for_'

const ownCalls = (calls: readonly ToolCall[]) => calls.filter(({ id }) => !id.startsWith(madeFor))

export function hasCalled(messages: readonly Message[]): boolean {
  return messages.some((message) => message.role === 'assistant' && ownCalls(message.calls).length > 0)
}

/**
 * The last words of a lane's model, and the tool that it never called; `terminal` ends the lane.
 */
export function lastWords(messages: readonly Message[], terminal: string): string {
  const own = messages.flatMap((message) => (message.role === 'assistant' ? [message] : []))
  const words = lastWordsOf(messages).said?.replaceAll(/\s+/g, ' ') ?? ''
  const isCalled = own.some(({ calls }) => ownCalls(calls).some(({ tool }) => tool === terminal))
  const never = !hasCalled(messages) ? 'it never called a tool' : isCalled ? null : `it never called ${terminal}`
  const said = words === '' ? 'its last replies were empty' : `it said last: "${words.slice(0, wordsChars)}"`
  return [never, said].filter((text) => text !== null).join('; ')
}

export function shortOf({ tool, output }: Pick<ToolResult, 'tool' | 'output'>): string {
  return `last answer to ${tool}: ${output.split('\n').slice(0, answerLines).join(' ').slice(0, answerChars)}`
}
