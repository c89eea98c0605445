import type { Lane } from '../domain/lane/lane.ts'
import type { ToolCall } from '../domain/lane/message.ts'
import type { ToolExecution } from '../ports/rows.ts'

export interface CallContext {
  readonly lane: Lane
  /** Index in the calls of the last reply. */
  readonly index: number
  readonly call: ToolCall
}

/** The row of a call that has started: without a result, and without an end. */
export function startedRow({ lane, index, call }: CallContext, startedAt: Date): ToolExecution {
  return {
    session: lane.run,
    lane: lane.id,
    turn: lane.data.turn - 1,
    index,
    callId: call.id,
    story: lane.story,
    agent: lane.data.role,
    tool: call.tool,
    arguments: call.input,
    expectation: null,
    startedAt: startedAt.toISOString(),
    result: null,
    success: null,
    durationMs: null,
    finishedAt: null,
  }
}
