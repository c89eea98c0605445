import type { Lane } from '../domain/lane/lane.ts'
import type { ModelReply } from '../ports/model.ts'
import type { ModelCall } from '../ports/rows.ts'

interface Made {
  readonly lane: Lane
  readonly model: string
  readonly reply: ModelReply
  readonly startedAt: Date
  readonly now: Date
}

/** The row of a call that was made. */
export function recordCall({ lane, model, reply, startedAt, now }: Made): ModelCall {
  return {
    lane: lane.id,
    turn: lane.data.turn,
    run: lane.run,
    story: lane.story,
    agent: lane.data.role,
    model,
    stop: reply.stop,
    error: reply.stop === 'error' ? `${reply.error.kind}: ${reply.error.message}` : null,
    usage: reply.usage,
    costMicroUsd: null,
    startedAt: startedAt.toISOString(),
    durationMs: now.getTime() - startedAt.getTime(),
  }
}
