import { acceptLine } from '../../app/text/accept-line.ts'
import type { ChatMessage } from '../../domain/chat.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { Screen } from './screen.ts'

/**
 * Messages in order, with answers indented below them. Open questions and unused replies are
 * marked. A bar marks all quoted text, so that none of it can pass for the head of another message.
 */
export function threadLines(screen: Screen, messages: readonly ChatMessage[], known: ThreadFacts): string {
  const shown = new Set(messages.map(({ id }) => id))
  const answers = Map.groupBy(messages, ({ reply_to }) => (reply_to !== null && shown.has(reply_to) ? reply_to : null))
  const below = (parent: string | null, depth: number): readonly string[] =>
    (answers.get(parent) ?? []).flatMap((message) => [
      indent(
        format(screen, message, { known, mark: markOf(message, known, answers.get(message.id) ?? []), depth }),
        depth,
      ),
      ...below(message.id, depth + 1),
    ])
  return below(null, 0).join('\n\n')
}

interface ThreadFacts {
  readonly waiting: ReadonlyMap<string, Pick<OpenEscalation, 'findings' | 'assignedTo'>>
  readonly unused: ReadonlyMap<string, string>
}

/** The mark of an open question, or of an unused reply with its reason. */
function markOf(
  { id, post_type }: ChatMessage,
  { waiting, unused }: ThreadFacts,
  answers: readonly ChatMessage[],
): string | null {
  const why = unused.get(id)
  if (why !== undefined) return `not used: ${why}`
  if (post_type !== 'escalate') return null
  const open = waiting.get(id)
  if (open !== undefined) return open.assignedTo === null ? 'OPEN' : `OPEN, for ${open.assignedTo}`
  return answers.some((answer) => answer.agent_id === 'human' && !unused.has(answer.id)) ? 'answered' : 'ended'
}

interface MessagePlace {
  readonly known: ThreadFacts
  readonly mark: string | null
  readonly depth: number
}

function format(screen: Screen, message: ChatMessage, { known: { waiting }, mark: told, depth }: MessagePlace): string {
  const { id, agent_id, author, story, timestamp, content } = message
  const when = timestamp.slice(0, 16).replace('T', ' ')
  const head = [`#${id}`, author === undefined ? agent_id : `${agent_id} ${author}`, story ?? '', when]
    .filter(Boolean)
    .join('  ')
  const text = [content.trimEnd(), acceptLine(message, waiting.get(id)?.findings ?? [])].filter(Boolean).join('\n\n')
  const mark = told === null ? '' : `  ${screen.paint(waiting.has(id) ? 'bad' : 'faint', told)}`
  return `${screen.paint('strong', screen.clean(head))}${mark}\n${barred(screen.prose(oneLineEnd(text), 2 * depth + 2))}`
}

/** Normalises every character that some terminal or editor takes for a line end. */
function oneLineEnd(text: string): string {
  return text.replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
}

function barred(text: string): string {
  return text
    .split('\n')
    .map((line) => `│ ${line}`.trimEnd())
    .join('\n')
}

function indent(text: string, depth: number): string {
  return text.replaceAll(/^(?=.)/gm, '  '.repeat(depth))
}
