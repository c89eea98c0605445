import type { ChatMessage } from '../chat.ts'
import type { EventData } from '../event.ts'

type EscalationAnswer = Pick<EventData['escalation_answered'], 'id' | 'message'>

/**
 * Unused replies of humans to questions, by id, each with the reason. A question has one answer,
 * and the asker may no longer wait for one; `waiting` are the questions that are still open.
 */
export function unusedReplies(
  messages: readonly ChatMessage[],
  answered: readonly EscalationAnswer[],
  waiting: { has(question: string): boolean },
): ReadonlyMap<string, string> {
  const asked = new Set(messages.filter(({ post_type }) => post_type === 'escalate').map(({ id }) => id))
  const answers = new Map(answered.map((answer) => [answer.id, answer.message]))
  const replies = messages.filter(({ agent_id, reply_to }) => agent_id === 'human' && asked.has(reply_to ?? ''))
  const unused = [...Map.groupBy(replies, ({ reply_to }) => reply_to ?? '')].flatMap(([question, given]) => {
    // The reply was given and not applied yet.
    if (waiting.has(question)) return []
    if (!answers.has(question)) return given.map(({ id }) => [id, 'nobody waited for an answer'] as const)
    // The event of an older version has no message: the first reply was the answer.
    const used = answers.get(question) ?? given[0]?.id
    const why = `message ${used} is the answer`
    return given.filter(({ id }) => id !== used).map(({ id }) => [id, why] as const)
  })
  return new Map(unused)
}
