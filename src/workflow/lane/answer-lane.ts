import { answerProgress } from '../../agents/call-progress.ts'
import { type Telling, tellingText } from '../../agents/prompts/guidance.ts'
import { countQuestion, questionWarning } from '../../agents/repeated-question.ts'
import { takeResult } from '../../agents/tool-loop.ts'
import { isTerminal } from '../../agents/tools/registry.ts'
import { withRefusal } from '../../domain/lane/refusals.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Transaction } from '../../ports/store.ts'
import { load } from '../machines.ts'

export interface LaneAnswer extends Telling {
  readonly lane: string
  readonly ok: boolean
  /** True if the lane continues only after a human's answer (`continueLane`). */
  readonly hold?: boolean
  /**
   * True if the terminal call cannot be accepted; a verdict about the submitted work is different.
   */
  readonly isRefusal?: boolean
  /** The progress that the answer shows, if its words alone do not. */
  readonly marks?: readonly string[]
}

/** Answers the call of a WAITING lane, and queues its next step. */
export async function answerLane(
  tx: Transaction,
  clock: Clock,
  { lane: id, ok, hold = false, isRefusal = false, marks, ...told }: LaneAnswer,
): Promise<void> {
  const lane = await load(tx, 'lane', id)
  const index = lane.data.results.length
  const call = lane.data.calls[index]
  if (lane.state !== 'WAITING' || !call) throw new Error(`lane ${id} waits for no answer`)
  const said = tellingText(told, lane.data.humanKey)
  const repeated = countQuestion(lane.data, call, said)
  const output = said + questionWarning(repeated)
  const step = takeResult(lane.data, { callId: call.id, tool: call.tool, output, ok })
  const progress = answerProgress(lane.data, { call, output: said, ok, marks })
  const refusals = isRefusal && { refusals: withRefusal(lane.data, { tool: call.tool, reason: output }) }
  const data = { ...step.data, repeated, progress, ...refusals }
  await tx.move(lane, step.event, { data, next: hold ? 'rest' : 'queue' })
  await tx.appendMessages(id, step.messages)
  await finishCall(tx, clock, { lane: id, turn: lane.data.turn - 1, index, output, ok })
}

interface CallEnd {
  readonly lane: string
  readonly turn: number
  readonly index: number
  readonly output: string
  readonly ok: boolean
}

/** Closes the row of a call that the workflow has answered. */
async function finishCall(tx: Transaction, clock: Clock, { lane, turn, index, output, ok }: CallEnd): Promise<void> {
  const row = await tx.toolExecution(lane, turn, index)
  if (!row || row.finishedAt !== null) return
  const now = clock.now()
  const durationMs = now.getTime() - Date.parse(row.startedAt)
  await tx.finishTool({ ...row, result: output, success: ok, durationMs, finishedAt: now.toISOString() })
  await tx.appendEvent({
    run: row.session,
    story: row.story,
    type: 'tool',
    data: { lane: lane.slice(row.session.length + 1), turn, index, tool: row.tool, ok },
  })
}

/** Ends a lane that nobody continues. */
export async function endLane(tx: Transaction, clock: Clock, id: string): Promise<void> {
  const lane = await load(tx, 'lane', id)
  if (lane.state === 'ENDED') return
  const index = lane.data.results.length
  // The terminal tool has served its purpose; any other call was abandoned.
  const ok = isTerminal(lane.data.role, lane.data.calls[index]?.tool)
  const finished = { lane: id, turn: lane.data.turn - 1, index, output: '(the lane ended)', ok }
  if (lane.state === 'WAITING') await finishCall(tx, clock, finished)
  // A call of the lane may still run, and nobody will see its end.
  await tx.settle(lane.id, 'lost')
  await tx.move(lane, 'ended', { next: 'rest' })
}
