import type { StateReader } from '../compose.ts'
import type { ChatMessage } from '../domain/chat.ts'
import { type OpenEscalation, openEscalationsOf } from '../domain/request/open-escalations.ts'
import type { Request } from '../domain/request/request.ts'
import type { Run } from '../domain/run/run.ts'
import type { Story } from '../domain/story/story.ts'

/** What a Run waits for a human with, in the order in which it was asked. */
export async function openEscalations(records: StateReader, run: Run): Promise<readonly OpenEscalation[]> {
  return openEscalationsOf({
    run,
    stories: (await records.machines({ kind: 'story', run: run.id })) as readonly Story[],
    requests: (await records.machines({ kind: 'request', run: run.id })) as readonly Request[],
    asked: await records.chat({ run: run.id, postType: 'escalate' }),
  })
}

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
