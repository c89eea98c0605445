import type { Escalation } from '../../api/chat.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { Run } from '../../domain/run/run.ts'
import { titleOf } from '../../domain/run/title.ts'
import { firstLine } from '../../domain/text.ts'

/**
 * A question, split into its first paragraph and the evidence that follows. It names its Run and
 * story. `decisions` say what one can answer, so words about how to type that are left out.
 * `answered` has the ids of questions whose answer is stored.
 */
export function toEscalation(
  { message, choice, decisions, findings, assignedTo }: OpenEscalation,
  asking: Run,
  answered: ReadonlySet<string>,
): Escalation {
  const { id, run, story, agent_id, timestamp, content } = message
  const said = content.split('\n\n')
  const [question = '', ...rest] = decisions.length === 0 ? said : said.flatMap(withoutHowTo)
  return {
    id,
    run,
    story,
    agent_id,
    asked_at: timestamp,
    question,
    run_title: firstLine(titleOf(asking)),
    story_title: asking.data.stories?.find((each) => each.id === story)?.title ?? null,
    evidence: choice?.why ?? rest.join('\n\n'),
    options: [...(choice?.options ?? [])],
    recommended: choice?.recommended ?? null,
    decisions: [...decisions],
    findings: [...findings],
    assigned_to: assignedTo,
    answered: answered.has(id),
  }
}

/** Removes the instructions for typing an answer from the end of a paragraph. */
function withoutHowTo(paragraph: string): readonly string[] {
  const at = paragraph.lastIndexOf('Reply `')
  const left = at < 0 ? paragraph : paragraph.slice(0, at).trimEnd()
  return left === '' ? [] : [left]
}
