import type { DatabaseSync } from 'node:sqlite'
import type { Totals } from '../../ports/store.ts'

/** The usage of a Run in a state without costs of calls: unknown if any call used tokens. */
export function totalsBeforeBudgets(database: DatabaseSync, run: string, story?: string): Totals {
  const calls = database.prepare(
    `select count(*) as calls, coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0) as tokens,
      count(case when input_tokens > 0 then 1 end) as unpriced
      from model_calls where run = :run and (:story is null or story = :story)`,
  )
  const tools = database.prepare(
    'select count(*) as calls from tool_executions where session = :run and (:story is null or story = :story)',
  )
  const of = { run, story: story ?? null }
  const row = calls.get(of)
  return {
    calls: Number(row?.calls),
    tokens: Number(row?.tokens),
    toolCalls: Number(tools.get(of)?.calls),
    costMicroUsd: 0,
    unpriced: Number(row?.unpriced),
  }
}
