import type { ChatMessage } from '../../domain/chat.ts'

/** A question with the line that answers it. */
export function describeQuestion({ id, story, content }: ChatMessage): string {
  return `${story === null ? '' : `${story}: `}${content.trimEnd()}\n\n  ${replyLine(id)}`
}

/** The line that answers it. */
export function replyLine(message: string): string {
  return `drydock reply ${message} "…"`
}

/** A question as `--json` prints it: in its first words; the rest is what it rests on. */
export function asJson({ id, run, story, content }: ChatMessage): object {
  return { id, run, story, question: content.split('\n\n')[0] ?? '' }
}
