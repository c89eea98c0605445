import type { StateReader } from '../compose.ts'
import type { ChatMessage } from '../domain/chat.ts'
import type { MachineKind } from '../domain/machine.ts'
import { isEnded, type Run } from '../domain/run.ts'

/** A question that a human has been asked, and not answered yet. */
export interface OpenEscalation {
  readonly message: ChatMessage
  /** Counts the escalations of its Run, from 1. */
  readonly n: number
}

/** Machines that may wait for a human, and the states in which they no longer do. */
const askers: readonly { readonly kind: MachineKind; readonly over: readonly string[] }[] = [
  { kind: 'run', over: [] },
  { kind: 'story', over: ['DONE', 'CANCELLED'] },
  { kind: 'request', over: ['ANSWERED', 'CANCELLED'] },
]

/** What a Run waits for a human with, in the order in which it was asked: messages that a machine of it names as its escalation. */
export async function openEscalations(records: StateReader, run: Run): Promise<readonly OpenEscalation[]> {
  if (isEnded(run.state)) return []
  const asked = new Set<unknown>()
  for (const { kind, over } of askers) {
    const machines = kind === 'run' ? [run] : await records.machines({ kind, run: run.id })
    for (const { state, data } of machines) {
      if (!over.includes(state)) asked.add((data as { readonly escalation?: string | null }).escalation)
    }
  }
  const messages = await records.chat({ run: run.id, postType: 'escalate' })
  return messages.flatMap((message, i) => (asked.has(message.id) ? [{ message, n: i + 1 }] : []))
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
