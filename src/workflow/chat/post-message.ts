import { guidanceSection } from '../../agents/prompts/guidance.ts'
import { remarksNews } from '../../agents/prompts/remarks-section.ts'
import type { InputOf } from '../../agents/tools/handed-over.ts'
import { done, refuse, type ToolOutcome } from '../../agents/tools/tool.ts'
import type { ChatMessage } from '../../domain/chat.ts'
import { agentOf, type Lane } from '../../domain/lane/lane.ts'
import type { Records, Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { answerLane } from '../lane/answer-lane.ts'
import type { Acts } from '../lane/decision.ts'

/**
 * Posts an agent's message to the thread of its own story, or the architect's to that of the Run.
 */
export async function postAnswered(
  tx: Transaction,
  { lane, input }: Acts['post_message'],
  { clock }: Pick<WorkflowDependencies, 'clock'>,
): Promise<void> {
  const { ok, output } = await post(tx, lane, input)
  await answerLane(tx, clock, { lane: lane.id, output, ok, ...(ok && { marks: [] }) })
}

/** Posts the message, or returns the reason why it cannot. */
export async function post(tx: Transaction, lane: Lane, input: InputOf<'post_message'>): Promise<ToolOutcome> {
  const { content, reply_to = null } = input
  const { run, story } = lane
  const seen = await messagesFor(tx, lane)
  if (reply_to !== null && !seen.some(({ id }) => id === reply_to)) {
    return refuse(`There is no message ${reply_to} here. read_messages lists the messages.`)
  }
  const agent_id = agentOf(lane.data.role)
  const post_type = reply_to === null ? 'chat' : 'reply'
  const { id } = await tx.postMessage({ agent_id, content, reply_to, post_type, run, story })
  await tx.appendEvent({ run, story, type: 'chat', data: { id, agent_id } })
  return done(`Posted as message ${id}.`)
}

/**
 * Reads the thread of the lane's own story and human messages to the Run, but no sibling's thread.
 */
export async function readMessages(records: Records, lane: Lane): Promise<ToolOutcome> {
  const messages = await messagesFor(records, lane)
  if (messages.length === 0) return done('(no messages)')
  return done(messages.map(messageLine).join('\n'))
}

/**
 * Messages of humans and Drydock since the lane last heard any, except answers to questions, which
 * have their own path; null if there are none. Messages to the Run reach every editor's lane and
 * the architect; messages to a story reach the lanes of its editor. A scout only gets its one
 * question.
 */
export async function newsFor(
  records: Records,
  { run, story, data }: Lane,
): Promise<{ readonly text: string; readonly upTo: string } | null> {
  const agent = agentOf(data.role)
  if (agent === 'scout') return null
  const concerns = (to: string | null) => to === null || (agent === 'editor' && to === story)
  const messages = (await records.chat({ run, after: data.heard ?? '0' })).filter((each) => concerns(each.story))
  const last = messages.at(-1)
  if (last === undefined) return null
  const questions = new Set((await records.chat({ run, postType: 'escalate' })).map(({ id }) => id))
  const said = messages.filter(({ agent_id, reply_to }) => agent_id === 'human' && !questions.has(reply_to ?? ''))
  const told = messages.filter(({ agent_id }) => agent_id === 'drydock').map(({ content }) => content)
  if (said.length + told.length === 0) return null
  const speak = (text: string) => guidanceSection(text, data.humanKey)
  const remarks = (await records.machines({ kind: 'remark', run })).filter((remark) => remark.data.message !== null)
  const byMessage = new Map(remarks.map((remark) => [remark.data.message, remark]))
  const words = said.filter(({ id }) => !byMessage.has(id)).map(({ content }) => speak(content))
  const reviewed = said.flatMap(({ id }) => byMessage.get(id) ?? []).filter((each) => each.state === 'OPEN')
  const news = [
    ...told,
    ...words,
    ...(reviewed.length > 0
      ? [
          remarksNews(
            reviewed.map((each) => each.data),
            speak,
          ),
        ]
      : []),
  ]
  if (news.length === 0) return null
  return { text: news.join('\n\n'), upTo: last.id }
}

async function messagesFor(records: Records, { run, story }: Lane): Promise<readonly ChatMessage[]> {
  const all = await records.chat({ run })
  return all.filter((message) => message.story === story || (message.story === null && message.agent_id === 'human'))
}

/**
 * Formats a message for agents. Its further lines are indented, so that one message cannot look
 * like two of different authors.
 */
export function messageLine({ id, agent_id, content, reply_to, post_type }: ChatMessage): string {
  const kind = post_type === 'escalate' ? ' asks a human' : reply_to === null ? '' : ` answers ${reply_to}`
  return `[${id}] ${agent_id}${kind}: ${content.replaceAll(/\r\n?|[\n\u2028\u2029]/g, '\n  ')}`
}
