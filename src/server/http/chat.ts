import type { Chat } from '../../api/chat.ts'
import { findRun, type Reading } from './reading.ts'
import { readOpenEscalations } from './run-facts.ts'

export async function readChat(reading: Reading, runId: string): Promise<Chat> {
  const { records, run } = await findRun(reading, runId)
  const open = new Set((await readOpenEscalations(records, run)).map(({ id }) => id))
  const messages = await records.chat({ run: run.id })
  return { messages: messages.map((message) => ({ ...message, open: open.has(message.id) })) }
}
