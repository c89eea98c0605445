import type { LaneStep } from '../../agents/lane.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import type { Next, Transaction } from '../../ports/store.ts'
import { announceSuspension } from '../rest/announce-suspension.ts'
import { recordCall } from './record-call.ts'

/** Commits the step itself: the lane's state, its messages, and the records of the call. */
export async function commitStep(
  tx: Transaction,
  lane: Lane,
  step: LaneStep,
  { costMicroUsd, next }: { readonly costMicroUsd: number | null; readonly next: Next },
): Promise<Lane> {
  const moved = await tx.move(lane, step.event, { data: step.data, next })
  await tx.appendMessages(lane.id, step.messages)
  const { run, story } = lane
  const key = lane.data.key
  const { modelCall, toolExecutions = [] } = step
  if (modelCall) await recordCall(tx, { ...modelCall, costMicroUsd })
  if (step.cut) await tx.appendEvent({ run, story, type: 'context_cut', data: { lane: key, ...step.cut } })
  if (step.tried) {
    const { model, calls, reportsUsage, endsStream, window } = step.tried
    const found = { calls, reports_usage: reportsUsage, ends_stream: endsStream, context_tokens: window }
    await tx.appendEvent({ run, story, type: 'model_tried', data: { lane: key, model, ...found } })
  }
  await announceSuspension(tx, lane, step.data)
  for (const execution of toolExecutions) {
    if (execution.finishedAt === null) {
      await tx.startTool(execution)
      continue
    }
    await tx.finishTool(execution)
    const { turn, index, tool, success } = execution
    await tx.appendEvent({ run, story, type: 'tool', data: { lane: key, turn, index, tool, ok: success } })
  }
  return moved
}
