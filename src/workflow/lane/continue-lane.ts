import { type Telling, tellingText } from '../../agents/prompts/guidance.ts'
import { isTerminal } from '../../agents/tools/registry.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import type { Message } from '../../domain/lane/message.ts'
import type { Transaction } from '../../ports/store.ts'

/**
 * Continues a stopped lane: appends messages, and restarts its count of requests at 0. Calls of the
 * last reply that nobody ran get an answer, since a conversation must not contain a call without a
 * result. For submitted work the answer is its outcome.
 */
export async function continueLane(tx: Transaction, lane: Lane, told: Telling): Promise<void> {
  const { calls, results, agent, role } = lane.data
  const notRun = calls.slice(results.length).map(({ id, tool }, i) => {
    const isHandedIn = i === 0 && isTerminal(role, tool)
    const output = isHandedIn ? '(handed in; the answer follows)' : '(not run: you were stopped)'
    return { callId: id, tool, ok: isHandedIn, output }
  })
  const open: Message[] = calls.length === 0 ? [] : [{ role: 'tool', results: [...results, ...notRun] }]
  const progress = { ...lane.data.progress, at: 0, fresh: 0, calls: [] }
  const counts = {
    iterations: 0,
    failedCalls: 0,
    repeated: null,
    wordsOnly: 0,
    refusals: {},
    progress,
    ...(lane.data.isAskedAbout && { isAskedAbout: false }),
    ...(agent && { agent: { ...agent, idle: 0 } }),
  }
  const data = { calls: [], results: [], ...counts }
  await tx.move(lane, 'continued', { data, next: 'queue' })
  await tx.appendMessages(lane.id, [...open, { role: 'user', text: tellingText(told, lane.data.humanKey) }])
}
