import { acceptLine } from '../../app/text/accept-line.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'

/** A question with the command lines that answer it. */
export function describeQuestion({ message, findings }: OpenEscalation): string {
  const { id, story, content } = message
  const asked = `${story === null ? '' : `${story}: `}${content.trimEnd()}`
  return [asked, acceptLine(message, findings), `  ${replyLine(id)}`].filter(Boolean).join('\n\n')
}

/** The command line that answers a question. */
export function replyLine(message: string): string {
  return `drydock reply ${message} "…"`
}

/** The person whom a question is for, in a bracket behind it; empty for everybody. */
export function forWhom(assignedTo: string | null): string {
  return assignedTo === null ? '' : ` (for ${assignedTo})`
}

/** A question as `--json` prints it: in its first words; the rest is what it rests on. */
export function asJson({ message: { id, run, story, content }, choice, assignedTo }: OpenEscalation): object {
  const suggested = choice && { options: choice.options, recommended: choice.recommended }
  return { id, run, story, question: content.split('\n\n')[0] ?? '', assigned_to: assignedTo, ...suggested }
}
