import type { Lane } from '../domain/lane/lane.ts'
import type { ModelCall } from '../ports/rows.ts'
import { withoutReply } from './fail-call.ts'
import type { LaneDependencies, LaneStep } from './lane.ts'

/**
 * The trial of a lane's model, a step of its own; null if no request was needed. The trial's call
 * is separate from the lane's own, so that a recording of the lane plays without it. If the
 * provider does not answer, the step is that of any request without a reply.
 */
export async function tryModel(
  lane: Lane,
  deps: Pick<LaneDependencies, 'model' | 'clock' | 'conversation' | 'patience'>,
  signal: AbortSignal,
): Promise<LaneStep | null> {
  const { model, clock } = deps
  const { data } = lane
  if (model.trial === undefined) return null
  const startedAt = clock.now()
  const trial = await model.trial.run({ run: lane.run, lane: data.key, turn: data.turn }, signal)
  signal.throwIfAborted()
  if (trial.type === 'known') return null
  const modelCall: ModelCall = {
    lane: lane.id,
    turn: data.turn,
    run: lane.run,
    story: lane.story,
    agent: data.role,
    model: model.id,
    stop: 'error',
    error: null,
    usage: trial.usage,
    costMicroUsd: null,
    startedAt: startedAt.toISOString(),
    durationMs: clock.now().getTime() - startedAt.getTime(),
  }
  if (trial.type !== 'tried') {
    const { error } = trial
    return withoutReply(data, { error, modelCall: { ...modelCall, error: `${error.kind}: ${error.message}` } }, deps)
  }
  const next = { ...data, turn: data.turn + 1, failedCalls: 0, rest: null, brokenReplies: undefined }
  const made = { ...modelCall, lane: `${lane.id}/trial`, stop: 'calls' }
  return { event: 'again', data: next, messages: [], modelCall: made, tried: { model: model.id, ...trial.found } }
}
