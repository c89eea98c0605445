import type { ChatMessage } from '../../domain/chat.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import { unusedReplies } from '../../domain/request/unused-replies.ts'
import type { Records } from '../../ports/store.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'
import { findWork, namedStory, type Work } from './find/find-work.ts'
import { openEscalations } from './open-escalations.ts'

/** The messages of a Run, or of one of its stories. */
export interface Thread extends Work {
  readonly messages: readonly ChatMessage[]
  /** The open questions, by message id. */
  readonly waiting: ReadonlyMap<string, OpenEscalation>
  /** Replies that were not used, by message id, with the reason. */
  readonly unused: ReadonlyMap<string, string>
}

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
    return {
      run,
      story: only,
      messages,
      waiting,
      unused: await readUnused(records, { run: run.id, messages, waiting }),
    }
  })
}

/** The replies of a Run that were not used, among these messages, with the reason. */
export async function readUnused(
  records: Records,
  {
    run,
    messages,
    waiting,
  }: Pick<Thread, 'messages'> & {
    readonly run: string
    readonly waiting: { has(question: string): boolean }
  },
): Promise<ReadonlyMap<string, string>> {
  const answered = await records.recentEvents({ run, types: ['escalation_answered'], limit: 1_000 })
  return unusedReplies(
    messages,
    answered.map(({ data }) => data),
    waiting,
  )
}
