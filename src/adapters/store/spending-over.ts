import { type Kysely, sql } from 'kysely'
import type { Records } from '../../ports/store.ts'
import type { SpendingOver } from '../../ports/workload.ts'
import { agentOfLane } from './agent-of-lane.ts'
import type { Tables } from './tables.ts'

/** Sums calls by agent and time span, in the database. */
export async function spendingOver(
  db: Kysely<Tables>,
  run: string,
  { from, to, points }: Parameters<Records['spendingOver']>[1],
): Promise<SpendingOver> {
  const { calls, last } = await db
    .selectFrom('model_calls')
    .select(({ fn }) => [fn.countAll<number>().as('calls'), fn.max<number | null>(endedAt).as('last')])
    .where('run', '=', run)
    .executeTakeFirstOrThrow()
  const count = Math.min(points, Math.max(1, Number(calls)))
  const start = from.getTime()
  const whole = Math.max(1, Math.max(to.getTime(), Number(last ?? start)) - start)
  // The first span that ends at or after the call's end.
  // The numbers are literals, so that `group by` sees an identical expression.
  const [first, spanCount, width] = [start, count, whole].map((number) => sql.lit(number))
  const spans = sql`((${endedAt} - ${first}) * ${spanCount} + ${width} - 1) / ${width}`
  const span = sql<number>`case when ${spans} < 1 then 0 when ${spans} > ${spanCount} then ${spanCount} - 1 else ${spans} - 1 end`
  const rows = await db
    .selectFrom('model_calls')
    .select(({ fn }) => [
      ...([span.as('span'), agentOfLane.as('agent'), fn.sum<number | null>('cost_micro_usd').as('microUsd')] as const),
      sql<number>`sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0))`.as('tokens'),
    ])
    .where('run', '=', run)
    // Groups by expressions, since the table has its own column `agent`.
    .groupBy([span, agentOfLane])
    .orderBy('span')
    .orderBy('agent')
    .execute()
  return {
    ends: Array.from({ length: count }, (_, i) => new Date(start + Math.round((whole * (i + 1)) / count))),
    used: rows.map(({ agent, ...sums }) => ({
      span: Number(sums.span),
      agent,
      microUsd: Number(sums.microUsd ?? 0),
      tokens: Number(sums.tokens),
    })),
  }
}

/**
 * Milliseconds since 1970, exactly: times are stored as ISO 8601 with three digits after the
 * second.
 */
const endedAt = sql<number>`(unixepoch(started_at) * 1000 + cast(substr(started_at, 21, 3) as integer) + duration_ms)`
