import type { Selectable } from 'kysely'
import type { Json } from '../../domain/json.ts'
import type { Expectation, ModelCall, ToolExecution } from '../../ports/rows.ts'
import type { Tables } from './tables.ts'

export function toModelCall(row: Selectable<Tables['model_calls']>): ModelCall {
  const { lane, turn, run, story, agent, model, stop, error, input_tokens: input, output_tokens: output } = row
  const cache = { cacheRead: row.cache_read_tokens ?? 0, cacheWrite: row.cache_write_tokens ?? 0 }
  return {
    lane,
    turn,
    run,
    story,
    agent,
    model,
    stop,
    error,
    usage: input === null ? null : { input, output: output ?? 0, ...cache },
    costMicroUsd: row.cost_micro_usd,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
  }
}

export function toToolExecution(row: Selectable<Tables['tool_executions']>): ToolExecution {
  return {
    session: row.session,
    lane: row.lane,
    turn: row.turn,
    index: row.call_index,
    callId: row.call_id,
    story: row.story,
    agent: row.agent,
    tool: row.tool,
    arguments: JSON.parse(row.arguments) as Json,
    expectation: row.expectation === null ? null : (JSON.parse(row.expectation) as Expectation),
    startedAt: row.started_at,
    result: row.result,
    success: row.success === null ? null : row.success === 1,
    durationMs: row.duration_ms,
    finishedAt: row.finished_at,
  }
}
