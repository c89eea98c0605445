import type { Chat } from '../../api/chat.ts'
import { openEscalations } from './open-escalations.ts'
import { readUnused } from './thread.ts'
import { findRun, type ViewSources } from './view-sources.ts'

export async function readChat(sources: Pick<ViewSources, 'records'>, runId: string): Promise<Chat> {
  const { records } = sources
  const run = await findRun(sources, runId)
  const open = new Set((await openEscalations(records, run)).map(({ message }) => message.id))
  const messages = await records.chat({ run: run.id })
  const unused = await readUnused(records, { run: run.id, messages, waiting: open })
  return {
    messages: messages.map((message) => ({
      ...message,
      open: open.has(message.id),
      unused: unused.get(message.id) ?? null,
    })),
  }
}
