import type { Kysely } from 'kysely'
import type { Records } from '../../ports/store.ts'
import type { Tables } from './tables.ts'

/** Reading what calls have cost. */
export function createSpendingRecords(db: Kysely<Tables>): Pick<Records, 'totals' | 'spent'> {
  async function calls(run: string, story: string | undefined) {
    let query = db
      .selectFrom('model_calls')
      .select(({ fn, eb }) => [
        fn.countAll<number>().as('calls'),
        fn.sum<number | null>('input_tokens').as('input'),
        fn.sum<number | null>('output_tokens').as('output'),
        fn.sum<number | null>('cost_micro_usd').as('cost'),
        fn
          .sum<number | null>(
            eb
              .case()
              .when(eb.and([eb('input_tokens', '>', 0), eb('cost_micro_usd', 'is', null)]))
              .then(1)
              .else(0)
              .end(),
          )
          .as('unpriced'),
      ])
      .where('run', '=', run)
    if (story !== undefined) query = query.where('story', '=', story)
    const row = await query.executeTakeFirstOrThrow()
    return {
      calls: Number(row.calls),
      tokens: Number(row.input ?? 0) + Number(row.output ?? 0),
      microUsd: Number(row.cost ?? 0),
      unpriced: Number(row.unpriced ?? 0),
    }
  }

  /** Of calls under way, and of those whose end nobody saw. */
  async function reserved(run: string, story: string | undefined, states: readonly number[]) {
    let query = db
      .selectFrom('reservations')
      .select(({ fn }) => [fn.sum<number | null>('micro_usd').as('cost'), fn.sum<number | null>('tokens').as('tokens')])
      .where('run', '=', run)
      .where('open', 'in', states)
    if (story !== undefined) query = query.where('story', '=', story)
    const row = await query.executeTakeFirstOrThrow()
    return { microUsd: Number(row.cost ?? 0), tokens: Number(row.tokens ?? 0) }
  }

  return {
    async totals(run, story) {
      const { calls: count, tokens, microUsd, unpriced } = await calls(run, story)
      let tools = db
        .selectFrom('tool_executions')
        .select(({ fn }) => fn.countAll<number>().as('calls'))
        .where('session', '=', run)
      if (story !== undefined) tools = tools.where('story', '=', story)
      const { calls: toolCalls } = await tools.executeTakeFirstOrThrow()
      const lost = await reserved(run, story, [0])
      return { calls: count, tokens, toolCalls: Number(toolCalls), costMicroUsd: microUsd + lost.microUsd, unpriced }
    },
    async spent(run, story) {
      const [made, held] = [await calls(run, story), await reserved(run, story, [0, 1])]
      const { count } = await db
        .selectFrom('reservations')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('run', '=', run)
        .where('open', '=', 1)
        .executeTakeFirstOrThrow()
      return { microUsd: made.microUsd + held.microUsd, tokens: made.tokens + held.tokens, underWay: Number(count) }
    },
  }
}
