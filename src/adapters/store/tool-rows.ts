import type { ToolExecution } from '../../ports/rows.ts'
import type { Tables } from './tables.ts'

export type ToolRow = Omit<Tables['tool_executions'], 'id'>

/** A prepared query needs each column by name. */
export function columnsOf(row: ToolRow): ToolRow {
  const { session, lane, turn, call_index, call_id, story, agent, tool, expectation, started_at } = row
  const { result, success, duration_ms, finished_at } = row
  return {
    session,
    lane,
    turn,
    call_index,
    call_id,
    story,
    agent,
    tool,
    arguments: row.arguments,
    expectation,
    started_at,
    result,
    success,
    duration_ms,
    finished_at,
  }
}

/** Writes JSON as text, and a flag as 0 or 1. */
export function toolRow(execution: ToolExecution): ToolRow {
  return {
    session: execution.session,
    lane: execution.lane,
    turn: execution.turn,
    call_index: execution.index,
    call_id: execution.callId,
    story: execution.story,
    agent: execution.agent,
    tool: execution.tool,
    arguments: JSON.stringify(execution.arguments),
    expectation: execution.expectation === null ? null : JSON.stringify(execution.expectation),
    started_at: execution.startedAt,
    result: execution.result,
    success: execution.success === null ? null : Number(execution.success),
    duration_ms: execution.durationMs,
    finished_at: execution.finishedAt,
  }
}
