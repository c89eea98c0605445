import type { Escalation } from '../../api/chat.ts'
import type { ChatMessage } from '../../domain/chat.ts'

/** A question, split into its first paragraph and the evidence that follows. */
export function toEscalation(message: ChatMessage, answered: ReadonlySet<string>): Escalation {
  const { id, run, story, agent_id, timestamp, content } = message
  const [question = '', ...rest] = content.split('\n\n')
  return {
    ...{ id, run, story, agent_id, asked_at: timestamp, question },
    evidence: rest.join('\n\n'),
    answered: answered.has(id),
  }
}
