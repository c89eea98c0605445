import { type Kysely, sql } from 'kysely'
import type { Spending } from '../../domain/run/budget.ts'
import type { Records } from '../../ports/store.ts'
import { agentOfLane } from './agent-of-lane.ts'
import { prepared } from './prepared.ts'
import { spendingOver } from './spending-over.ts'
import type { Tables } from './tables.ts'

/** The subject of a sum: a Run, or one of its stories. */
interface SpendingScope {
  readonly run: string
  readonly story: string | undefined
}

/** Reads the costs of calls. */
export function createSpendingRecords(
  db: Kysely<Tables>,
): Pick<Records, 'totals' | 'spent' | 'spending' | 'spendingOver' | 'holdsReservation' | 'hasAnswered'> {
  return {
    async totals(run, story) {
      const { calls, tokens, microUsd, unpriced } = await made(db, { run, story })
      const { lost } = await reserved(db, { run, story })
      return {
        calls,
        tokens: tokens + lost.tokens,
        toolCalls: await toolCalls(db, { run, story }),
        costMicroUsd: microUsd + lost.microUsd,
        unpriced: unpriced + lost.unpriced,
      }
    },
    async hasAnswered(run, provider) {
      return (await answeredCall(db, { run, prefix: `${provider}:` })).rows.length > 0
    },
    async holdsReservation(lane) {
      return (await heldReservation(db, { lane })).rows.length > 0
    },
    async spent(run, story) {
      const [known, { held, lost, underWay }] = await Promise.all([
        made(db, { run, story }),
        reserved(db, { run, story }),
      ])
      return {
        microUsd: known.microUsd + lost.microUsd + held.microUsd,
        tokens: known.tokens + lost.tokens + held.tokens,
        reserved: { microUsd: held.microUsd, tokens: held.tokens },
        underWay,
      }
    },
    spending: (run) => spending(db, run),
    spendingOver: (run, during) => spendingOver(db, run, during),
  }
}

const answeredCall = prepared<{ run: string; prefix: string }>()((db, { run, prefix }) =>
  db
    .selectFrom('model_calls')
    .select('id')
    .where('run', '=', run)
    .where(sql<boolean>`substr(model, 1, length(cast(${prefix} as text))) = ${prefix}`)
    .where(sql<boolean>`(stop <> 'error' or error like 'overloaded:%' or error like 'rate_limited:%')`)
    .limit(1),
)
const heldReservation = prepared<{ lane: string }>()((db, { lane }) =>
  db.selectFrom('reservations').select('id').where('lane', '=', lane).where('open', '=', 1),
)

const madeByRun = prepared<{ run: string }>()((db, { run }) => sumsOfCalls(db).where('run', '=', run))
const madeByStory = prepared<{ run: string; story: string }>()((db, { run, story }) =>
  sumsOfCalls(db).where('run', '=', run).where('story', '=', story),
)

function sumsOfCalls(db: Kysely<Tables>) {
  const unpriced = sql<number | null>`count(case when input_tokens > 0 and cost_micro_usd is null then 1 end)`
  return db
    .selectFrom('model_calls')
    .select(({ fn }) => [
      fn.countAll<number>().as('calls'),
      fn.sum<number | null>('input_tokens').as('input'),
      fn.sum<number | null>('output_tokens').as('output'),
      fn.sum<number | null>('cost_micro_usd').as('cost'),
      unpriced.as('unpriced'),
    ])
}

const nothingMade = { calls: 0, input: 0, output: 0, cost: 0, unpriced: 0 }

/** The sums over completed calls. */
async function made(db: Kysely<Tables>, { run, story }: SpendingScope) {
  const { rows } = story === undefined ? await madeByRun(db, { run }) : await madeByStory(db, { run, story })
  const { calls, input, output, cost, unpriced } = asNumbers(rows[0] ?? nothingMade)
  return { calls, tokens: input + output, microUsd: cost, unpriced }
}

/** Grouped by open or lost, and by belonging to the story. */
const reservationsOfRun = prepared<{ run: string; story: string | null }>()((db, { run, story }) =>
  db
    .selectFrom('reservations')
    .select(({ fn }) => [
      'open',
      sql<number>`case when cast(${story} as text) is null or story = ${story} then 1 else 0 end`.as('counted'),
      fn.countAll<number>().as('calls'),
      fn.count<number>('micro_usd').as('priced'),
      fn.sum<number | null>('micro_usd').as('cost'),
      fn.sum<number | null>('tokens').as('tokens'),
    ])
    .where('run', '=', run)
    .groupBy(['open', 'counted']),
)

/**
 * The sums over running calls (`held`), and over calls whose end was not seen (`lost`); `underWay`
 * counts the running calls of the whole Run.
 */
async function reserved(db: Kysely<Tables>, { run, story }: SpendingScope) {
  const rows = (await reservationsOfRun(db, { run, story: story ?? null })).rows.map((row) => asNumbers(row))
  const sumOf = (open: number) => {
    const row = rows.find((each) => each.open === open && each.counted === 1)
    const { calls = 0, priced = 0, cost = 0, tokens = 0 } = row ?? {}
    return { microUsd: cost, tokens, unpriced: calls - priced }
  }
  const underWay = rows.filter(({ open }) => open === 1).reduce((sum, { calls }) => sum + calls, 0)
  return { held: sumOf(1), lost: sumOf(0), underWay }
}

async function toolCalls(db: Kysely<Tables>, { run, story }: SpendingScope): Promise<number> {
  let query = db
    .selectFrom('tool_executions')
    .select(({ fn }) => fn.countAll<number>().as('calls'))
    .where('session', '=', run)
  if (story !== undefined) query = query.where('story', '=', story)
  return Number((await query.executeTakeFirstOrThrow()).calls)
}

async function spending(db: Kysely<Tables>, run: string): Promise<readonly Spending[]> {
  const sums = new Map<string, Spending>()
  const summed = await Promise.all([madeByAgent(db, run), lostByAgent(db, run)])
  for (const { story, agent, ...more } of summed.flat()) {
    const of = { story, agent }
    const key = JSON.stringify(of)
    sums.set(key, { ...of, ...plus(sums.get(key) ?? none, more) })
  }
  return [...sums.values()]
}

type SpendingSum = Pick<Spending, 'story' | 'agent'> & Partial<Counts>

/** Ordered by first call. */
async function madeByAgent(db: Kysely<Tables>, run: string): Promise<readonly SpendingSum[]> {
  const rows = await db
    .selectFrom('model_calls')
    .select(({ fn }) => [
      ...(['story', agentOfLane.as('agent'), fn.countAll<number>().as('calls')] as const),
      sql<number>`count(case when stop = 'error' then 1 end)`.as('failed'),
      fn.sum<number | null>('input_tokens').as('input'),
      fn.sum<number | null>('output_tokens').as('output'),
      fn.sum<number | null>('cache_read_tokens').as('cacheRead'),
      fn.sum<number | null>('cache_write_tokens').as('cacheWrite'),
      fn.sum<number | null>('cost_micro_usd').as('microUsd'),
      sql<number>`count(case when input_tokens > 0 and cost_micro_usd is null then 1 end)`.as('unpriced'),
    ])
    .where('run', '=', run)
    .groupBy(['story', agentOfLane])
    .orderBy(({ fn }) => fn.min('started_at'))
    .orderBy(({ fn }) => fn.min('id'))
    .execute()
  return rows.map(({ story, agent, ...sums }) => ({ story, agent, ...asNumbers(sums) }))
}

/** The sums over calls whose end was not seen. */
async function lostByAgent(db: Kysely<Tables>, run: string): Promise<readonly SpendingSum[]> {
  const rows = await db
    .selectFrom('reservations')
    .select(({ fn }) => [
      ...(['story', agentOfLane.as('agent'), fn.sum<number | null>('micro_usd').as('microUsd')] as const),
      sql<number>`count(case when micro_usd is null then 1 end)`.as('unpriced'),
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
  calls: 0,
  failed: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  microUsd: 0,
  unpriced: 0,
}

function plus(sum: Counts, more: Partial<Counts>): Counts {
  const names = Object.keys(none) as (keyof Counts)[]
  return Object.fromEntries(names.map((name) => [name, sum[name] + (more[name] ?? 0)])) as unknown as Counts
}

/** SQL's sum over no rows is null. */
function asNumbers<Name extends string>(sums: Readonly<Record<Name, number | null>>): Record<Name, number> {
  const entries = Object.entries<number | null>(sums).map(([name, sum]) => [name, Number(sum ?? 0)])
  return Object.fromEntries(entries) as Record<Name, number>
}
