import { type Kysely, sql } from 'kysely'
import type { Spending } from '../../domain/run/budget.ts'
import type { Records } from '../../ports/store.ts'
import { agentOfLane } from './agent-of-lane.ts'
import { spendingOver } from './spending-over.ts'
import type { Tables } from './tables.ts'

/** What is counted: a Run, or one story of it. */
interface Counted {
  readonly run: string
  readonly story: string | undefined
}

/** Reading what calls have cost. */
export function createSpendingRecords(
  db: Kysely<Tables>,
): Pick<Records, 'totals' | 'spent' | 'spending' | 'spendingOver' | 'holdsReservation' | 'hasAnswered'> {
  return {
    async totals(run, story) {
      const { calls, tokens, microUsd, unpriced } = await made(db, { run, story })
      const lost = await reserved(db, { run, story }, 'lost')
      return {
        ...{ calls, tokens: tokens + lost.tokens, toolCalls: await toolCalls(db, { run, story }) },
        ...{ costMicroUsd: microUsd + lost.microUsd, unpriced: unpriced + lost.unpriced },
      }
    },
    async hasAnswered(run, provider) {
      const calls = db.selectFrom('model_calls').select('id').where('run', '=', run)
      const ofIt = calls.where(sql<boolean>`substr(model, 1, length(${provider}) + 1) = ${`${provider}:`}`)
      const answered = ofIt.where(
        sql<boolean>`(stop <> 'error' or error like 'overloaded:%' or error like 'rate_limited:%')`,
      )
      return (await answered.limit(1).executeTakeFirst()) !== undefined
    },
    async holdsReservation(lane) {
      const held = db.selectFrom('reservations').select('id').where('lane', '=', lane).where('open', '=', 1)
      return (await held.executeTakeFirst()) !== undefined
    },
    async spent(run, story) {
      const known = await made(db, { run, story })
      const lost = await reserved(db, { run, story }, 'lost')
      const held = await reserved(db, { run, story }, 'held')
      const underWay = story === undefined ? held : await reserved(db, { run, story: undefined }, 'held')
      return {
        microUsd: known.microUsd + lost.microUsd + held.microUsd,
        tokens: known.tokens + lost.tokens + held.tokens,
        reserved: { microUsd: held.microUsd, tokens: held.tokens },
        underWay: underWay.calls,
      }
    },
    spending: (run) => spending(db, run),
    spendingOver: (run, during) => spendingOver(db, run, during),
  }
}

/** Of calls that are in their rows. */
async function made(db: Kysely<Tables>, { run, story }: Counted) {
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

/** Of calls that are under way, or of those whose end nobody saw. */
async function reserved(db: Kysely<Tables>, { run, story }: Counted, state: 'held' | 'lost') {
  let query = db
    .selectFrom('reservations')
    .select(({ fn }) => [
      fn.countAll<number>().as('calls'),
      fn.count<number>('micro_usd').as('priced'),
      fn.sum<number | null>('micro_usd').as('cost'),
      fn.sum<number | null>('tokens').as('tokens'),
    ])
    .where('run', '=', run)
    .where('open', '=', state === 'held' ? 1 : 0)
  if (story !== undefined) query = query.where('story', '=', story)
  const row = await query.executeTakeFirstOrThrow()
  return {
    calls: Number(row.calls),
    tokens: Number(row.tokens ?? 0),
    microUsd: Number(row.cost ?? 0),
    unpriced: Number(row.calls) - Number(row.priced),
  }
}

async function toolCalls(db: Kysely<Tables>, { run, story }: Counted): Promise<number> {
  let query = db
    .selectFrom('tool_executions')
    .select(({ fn }) => fn.countAll<number>().as('calls'))
    .where('session', '=', run)
  if (story !== undefined) query = query.where('story', '=', story)
  return Number((await query.executeTakeFirstOrThrow()).calls)
}

async function spending(db: Kysely<Tables>, run: string): Promise<readonly Spending[]> {
  const sums = new Map<string, Spending>()
  for (const { story, agent, ...more } of [...(await madeByAgent(db, run)), ...(await lostByAgent(db, run))]) {
    const of = { story, agent }
    const key = JSON.stringify(of)
    sums.set(key, { ...of, ...plus(sums.get(key) ?? none, more) })
  }
  return [...sums.values()]
}

type Summed = Pick<Spending, 'story' | 'agent'> & Partial<Counts>

/** In the order of their first calls. */
async function madeByAgent(db: Kysely<Tables>, run: string): Promise<readonly Summed[]> {
  const rows = await db
    .selectFrom('model_calls')
    .select(({ fn }) => [
      ...(['story', agentOfLane.as('agent'), fn.countAll<number>().as('calls')] as const),
      sql<number>`sum(stop = 'error')`.as('failed'),
      fn.sum<number | null>('input_tokens').as('input'),
      fn.sum<number | null>('output_tokens').as('output'),
      fn.sum<number | null>('cache_read_tokens').as('cacheRead'),
      fn.sum<number | null>('cache_write_tokens').as('cacheWrite'),
      fn.sum<number | null>('cost_micro_usd').as('microUsd'),
      sql<number>`sum(input_tokens > 0 and cost_micro_usd is null)`.as('unpriced'),
    ])
    .where('run', '=', run)
    .groupBy(['story', agentOfLane])
    .orderBy(({ fn }) => fn.min('started_at'))
    .orderBy(({ fn }) => fn.min('id'))
    .execute()
  return rows.map(({ story, agent, ...sums }) => ({ story, agent, ...asNumbers(sums) }))
}

/** Of calls whose end nobody saw. */
async function lostByAgent(db: Kysely<Tables>, run: string): Promise<readonly Summed[]> {
  const rows = await db
    .selectFrom('reservations')
    .select(({ fn }) => [
      ...(['story', agentOfLane.as('agent'), fn.sum<number | null>('micro_usd').as('microUsd')] as const),
      sql<number>`sum(micro_usd is null)`.as('unpriced'),
    ])
    .where('run', '=', run)
    .where('open', '=', 0)
    .groupBy(['story', agentOfLane])
    .orderBy(({ fn }) => fn.min('id'))
    .execute()
  return rows.map(({ story, agent, ...sums }) => ({ story, agent, ...asNumbers(sums) }))
}

type Counts = Omit<Spending, 'story' | 'agent'>

const none: Counts = {
  ...{ calls: 0, failed: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  ...{ microUsd: 0, unpriced: 0 },
}

function plus(sum: Counts, more: Partial<Counts>): Counts {
  const names = Object.keys(none) as (keyof Counts)[]
  return Object.fromEntries(names.map((name) => [name, sum[name] + (more[name] ?? 0)])) as unknown as Counts
}

/** A sum over no number at all is null. */
function asNumbers<Name extends string>(sums: Readonly<Record<Name, number | null>>): Record<Name, number> {
  const entries = Object.entries<number | null>(sums).map(([name, sum]) => [name, Number(sum ?? 0)])
  return Object.fromEntries(entries) as Record<Name, number>
}
