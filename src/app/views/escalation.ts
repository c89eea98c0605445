import type { Escalation } from '../../api/chat.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'

/** A question, split into its first paragraph and the evidence that follows. */
export function toEscalation(
  { message, choice, decisions, findings }: OpenEscalation,
  answered: ReadonlySet<string>,
): Escalation {
  const { id, run, story, agent_id, timestamp, content } = message
  const [question = '', ...rest] = content.split('\n\n')
  return {
    ...{ id, run, story, agent_id, asked_at: timestamp, question },
    evidence: choice?.why ?? rest.join('\n\n'),
    options: [...(choice?.options ?? [])],
    recommended: choice?.recommended ?? null,
    decisions: [...decisions],
    findings: [...findings],
    answered: answered.has(id),
  }
}
