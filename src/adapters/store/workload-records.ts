import { type Kysely, sql } from 'kysely'
import type { Workload } from '../../ports/workload.ts'
import type { Tables } from './tables.ts'

/** Counts over the whole state. Reads neither data of machines nor texts of calls. */
export async function readWorkload(db: Kysely<Tables>): Promise<Workload> {
  const machines = await db
    .selectFrom('machines')
    .select(({ fn }) => ['kind', 'state', fn.countAll().as('count')])
    .groupBy(['kind', 'state'])
    .execute()
  const steps = await db
    .selectFrom('jobs')
    .select(({ fn }) => ['queue', fn.countAll().as('count'), fn.min('run_at').as('first')])
    .groupBy('queue')
    .execute()
  const calls = await db
    .selectFrom('model_calls')
    .select(({ fn }) => [
      ...(['model', 'agent'] as const),
      fn.countAll().as('count'),
      sql<number>`count(case when stop = 'error' then 1 end)`.as('failed'),
      fn.sum('input_tokens').as('input'),
      fn.sum('output_tokens').as('output'),
      fn.sum('cost_micro_usd').as('cost'),
    ])
    .groupBy(['model', 'agent'])
    .execute()
  // PostgreSQL returns counts and sums as texts, and null for the sum of no rows.
  return {
    machines: machines.map(({ kind, state, count }) => ({ kind, state, count: Number(count) })),
    steps: steps.map(({ queue, count, first }) => ({ kind: queue, count: Number(count), first })),
    calls: calls.map(({ model, agent, ...of }) => ({
      model,
      agent,
      count: Number(of.count),
      failed: Number(of.failed),
      inputTokens: Number(of.input),
      outputTokens: Number(of.output),
      microUsd: Number(of.cost),
    })),
  }
}
