import type { ConversationCut } from '../domain/lane/lane.ts'
import type { Message, ToolResult } from '../domain/lane/message.ts'
import { limits } from '../domain/limits.ts'
import { isWarning } from './prompts/limit-warning.ts'
import { isNudge } from './prompts/nudge.ts'
import { shortened, summaryMessage } from './prompts/summary.ts'
import { verdictOf } from './prompts/verdict-message.ts'
import { askArchitect } from './tools/ask-architect.ts'
import { askUser } from './tools/ask-user.ts'
import { registry } from './tools/registry.ts'
import { submitChange } from './tools/submit-change.ts'

type Assistant = Extract<Message, { role: 'assistant' }>

/**
 * Tools answered by the workflow, the architect or a person: verdicts, findings, decisions. A call
 * of any other tool can be repeated.
 */
const kept: ReadonlySet<string> = new Set([
  askArchitect.name,
  askUser.name,
  ...registry.filter(({ kind }) => kind === 'terminal').map(({ name }) => name),
])

/**
 * The messages of a lane's conversation that its model gets. The first message, words of people and
 * of the workflow, and the answers to submissions are always sent word for word, from the stored
 * messages: no summary of a summary can lose them. With the same cut, further messages only add to
 * the end.
 */
export function sentMessages(
  stored: readonly Message[],
  { shortenedTo, summary }: ConversationCut,
): readonly Message[] {
  const lastVerdict = stored.slice(0, shortenedTo).findLastIndex(holdsVerdict)
  const messages = stored.map((message, index) =>
    index < shortenedTo ? shorten(message, { isLastVerdict: index === lastVerdict }) : message,
  )
  if (summary === null) return messages
  const { text, upTo, todos = [] } = summary
  return [
    ...messages.slice(0, 1),
    { role: 'user', text: summaryMessage(text, todos) },
    ...messages.slice(1, upTo).flatMap((message, index) => keep(message, messages[index + 2])),
    ...messages.slice(upTo),
  ]
}

function holdsVerdict(message: Message): boolean {
  return message.role === 'tool' && message.results.some((result) => verdictIn(result) !== null)
}

/** Only the workflow answers this tool, so no output of a command can look like a verdict. */
function verdictIn({ tool, output }: ToolResult) {
  return tool === submitChange.name ? verdictOf(output) : null
}

function shorten(message: Message, { isLastVerdict }: { readonly isLastVerdict: boolean }): Message {
  if (message.role !== 'tool') return message
  return { ...message, results: message.results.map((result) => shortenResult(result, { isLastVerdict })) }
}

function shortenResult(result: ToolResult, { isLastVerdict }: { readonly isLastVerdict: boolean }): ToolResult {
  const { tool, output } = result
  const { length } = output
  if (length <= limits.context.shortenFrom) return result
  if (!kept.has(tool)) return { ...result, output: shortened(length) }
  // The log of a verification before the last one says nothing about the present change.
  const older = isLastVerdict ? null : verdictIn(result)
  if (older === null) return result
  const log = `the log is artifact:${older.runId}/logs/combined.log`
  return { ...result, output: `${older.verdict}. ${shortened(length, log)}` }
}

/**
 * A message of the summarized part: whole, or not at all. A call goes with its results, which
 * follow it.
 */
function keep(message: Message, next: Message | undefined): readonly Message[] {
  switch (message.role) {
    case 'user':
      return isWarning(message.text) || isNudge(message.text) ? [] : [message]
    case 'tool':
      return isKept(message) ? [message] : []
    case 'assistant':
      return next !== undefined && isKept(next) ? [withoutBulk(message)] : []
    default:
      throw new Error(`unknown message ${message satisfies never}`)
  }
}

function isKept(message: Message): boolean {
  return message.role === 'tool' && message.results.some(({ tool }) => kept.has(tool))
}

/** The input of a call may have any size, and only the answer matters. */
function withoutBulk(message: Assistant): Assistant {
  if (JSON.stringify(message).length <= limits.context.keptCallChars) return message
  return { role: 'assistant', text: '', calls: message.calls.map((call) => ({ ...call, input: {} })) }
}
