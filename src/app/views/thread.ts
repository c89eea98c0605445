import type { Thread } from '../../api/views/thread.ts'
import type { ChatMessage } from '../../domain/chat.ts'
import { unusedReplies } from '../../domain/request/unused-replies.ts'
import type { Records } from '../../ports/store.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'
import { findWork, namedStory } from './find/find-work.ts'
import { openEscalations } from './open-escalations.ts'

/**
 * The chat of the wanted Run or story; `name` is a story of the Run. Throws DrydockError
 * `not_found`.
 */
export function readThread(drydock: RecordSource, id: string | undefined, name: string | undefined): Promise<Thread> {
  return reading(drydock, async (records) => {
    const found = await findWork(records, id, (run) => run.data.policy.reviewer !== null)
    const { run } = found
    const { story } = name !== undefined ? await findWork(records, `${run.id}/${name}`) : found
    const only = name === undefined ? namedStory({ story }) : story
    const messages = await records.chat({ run: run.id, ...(only !== null && { story: only.story }) })
    const open = await openEscalations(records, run)
    const waiting = new Map(open.map((asked) => [asked.message.id, asked]))
    const unused = await readUnused(records, { run: run.id, messages, waiting })
    return {
      run: run.id,
      story: only?.story ?? null,
      messages: messages.map((message) => ({
        ...message,
        open: waiting.has(message.id),
        unused: unused.get(message.id) ?? null,
        findings: waiting.get(message.id)?.findings ?? [],
        assigned_to: waiting.get(message.id)?.assignedTo ?? null,
      })),
    }
  })
}

interface MessagesOfRun {
  readonly run: string
  readonly messages: readonly ChatMessage[]
  readonly waiting: { has(question: string): boolean }
}

/** The replies of a Run that were not used, among these messages, with the reason. */
export async function readUnused(
  records: Records,
  { run, messages, waiting }: MessagesOfRun,
): Promise<ReadonlyMap<string, string>> {
  const answered = await records.recentEvents({ run, types: ['escalation_answered'], limit: 1_000 })
  return unusedReplies(
    messages,
    answered.map(({ data }) => data),
    waiting,
  )
}
