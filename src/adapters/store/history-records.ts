import { type Expression, type ExpressionBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { EventOfType, EventType } from '../../domain/event.ts'
import { limits } from '../../domain/limits.ts'
import type { Manifest } from '../../domain/verification/verdict.ts'
import type { RecentEvents, Records, TimelineEntry, TimelineFilter } from '../../ports/store.ts'
import { toModelCall, toToolExecution } from './call-rows.ts'
import { eventOf } from './event-rows.ts'
import type { Tables } from './tables.ts'

type History = Pick<Records, 'lastEvent' | 'runsSince' | 'recentEvents' | 'timeline' | 'toolCallCounts' | 'flakyTests'>

/** Reads past events, newest first. */
export function createHistoryRecords(db: Kysely<Tables>): History {
  return {
    async lastEvent() {
      const { id } = await db
        .selectFrom('events')
        .select(({ fn }) => fn.max('id').as('id'))
        .executeTakeFirstOrThrow()
      return Number(id ?? 0)
    },
    async runsSince(after) {
      // An expression rather than the plain column, since SQLite would otherwise scan its whole
      // index instead of the new rows.
      const run = sql<string>`run || ''`
      const newest = db
        .selectFrom('events')
        .select(({ fn }) => [run.as('run'), fn.max('id').as('id')])
        .where('id', '>', after)
        .groupBy(run)
      return (await newest.orderBy('id', 'desc').execute()).map((row) => row.run)
    },
    async recentEvents<Type extends EventType>({ run, story, types, text, before, limit }: RecentEvents<Type>) {
      let query = db.selectFrom('events').selectAll().where('run', '=', run).orderBy('id', 'desc').limit(limit)
      if (story !== undefined) query = query.where('story', '=', story)
      if (types?.length === 0) return []
      if (types !== undefined) query = query.where('type', 'in', types)
      if (before !== undefined) query = query.where('id', '<', before)
      if (text !== undefined) {
        const named = [
          hasText(sql.ref('type'), text),
          hasText(sql.ref('story'), text),
          hasJsonText(sql.ref('data'), text),
        ]
        query = query.where(({ or }) => or(named))
      }
      return (await query.execute()).map((row) => eventOf(row) as EventOfType<Type>)
    },
    async flakyTests() {
      const rows = await db
        .selectFrom('verifications')
        .select(['run_id', 'run', 'story', 'finished_at', 'manifest'])
        .where('manifest', 'like', '%"flaky":["%')
        .orderBy('finished_at')
        .orderBy('run_id')
        .execute()
      return rows.flatMap(({ run_id, run, story, finished_at, manifest }) => {
        const { flaky = [] } = JSON.parse(manifest ?? '{}') as Partial<Manifest>
        return flaky.map((test) => ({ test, runId: run_id, run, story, finishedAt: finished_at }))
      })
    },
    async timeline(filter) {
      const [calls, tools] = await Promise.all([modelEntries(db, filter), toolEntries(db, filter)])
      return [...calls, ...tools].toSorted(newestFirst).slice(0, filter.limit)
    },
    async toolCallCounts(run) {
      const rows = await db
        .selectFrom('tool_executions')
        .select(({ fn }) => ['story', fn.countAll<number>().as('calls')])
        .where('session', '=', run)
        .groupBy('story')
        .execute()
      return new Map(rows.map(({ story, calls }) => [story, Number(calls)]))
    },
  }
}

/**
 * The sort key of an entry: its start, then calls of models before calls of tools, then the order
 * of storage.
 */
interface Place {
  readonly at: string
  readonly kind: 'm' | 't'
  readonly id: number
}

function cursorOf({ at, kind, id }: Place): string {
  return `${at}_${kind}_${id}`
}

/** Null for an invalid cursor. */
function placeOf(cursor: string): Place | null {
  const [, at, kind, id] = /^([\d:.TZ-]{20,30})_([mt])_(\d{1,15})$/.exec(cursor) ?? []
  return at && (kind === 'm' || kind === 't') && id ? { at, kind, id: Number(id) } : null
}

function newestFirst(a: TimelineEntry, b: TimelineEntry): number {
  const [first, second] = [placeOf(a.cursor), placeOf(b.cursor)]
  if (first === null || second === null) throw new Error(`no places in a timeline: ${a.cursor}, ${b.cursor}`)
  return -(compare(first.at, second.at) || compare(first.kind, second.kind) || first.id - second.id)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

type Table = 'model_calls' | 'tool_executions'

function isNamed(kind: Place['kind'], text: string) {
  const own = kind === 'm' ? ['model', 'error'] : ['tool']
  const columns = ['lane', 'agent', ...own].map((column) => hasText(sql.ref(column), text))
  if (kind === 't')
    columns.push(hasJsonText(sql`substr(${sql.ref('arguments')}, 1, ${sql.lit(limits.search.inputChars)})`, text))
  return sql<boolean>`(${sql.join(columns, sql` or `)})`
}

function isOfKind(kind: Place['kind'], wanted: NonNullable<TimelineFilter['kind']>) {
  if (wanted === 'failed') return kind === 'm' ? sql<boolean>`stop = 'error'` : sql<boolean>`success = 0`
  return (wanted === 'model') === (kind === 'm') ? sql<boolean>`1 = 1` : sql<boolean>`1 = 0`
}

/** The condition for the rows that a filter selects. An unknown place selects none. */
function isMeant<T extends Table>(eb: ExpressionBuilder<Tables, T>, kind: Place['kind'], filter: TimelineFilter) {
  const column = eb as unknown as ExpressionBuilder<Tables, Table>
  const parts: Expression<SqlBool>[] = filter.story === undefined ? [] : [column('story', '=', filter.story)]
  if (filter.kind !== undefined) parts.push(isOfKind(kind, filter.kind))
  if (filter.text !== undefined) parts.push(isNamed(kind, filter.text))
  if (filter.at !== undefined) {
    const place = placeOf(filter.at)
    parts.push(column('id', '=', place?.kind === kind ? place.id : -1))
  }
  if (filter.before !== undefined) {
    const place = placeOf(filter.before)
    parts.push(place === null ? column('id', '<', 0) : isBefore(column, kind, place))
  }
  return column.and(parts)
}

function isBefore(column: ExpressionBuilder<Tables, Table>, kind: Place['kind'], place: Place) {
  const sameMoment = (id: number) => column.and([column('started_at', '=', place.at), column('id', '<', id)])
  const earlier = column('started_at', '<', place.at)
  if (kind === place.kind) return column.or([earlier, sameMoment(place.id)])
  return kind < place.kind ? column.or([earlier, column('started_at', '=', place.at)]) : earlier
}

async function modelEntries(db: Kysely<Tables>, filter: TimelineFilter): Promise<readonly TimelineEntry[]> {
  const rows = await db
    .selectFrom('model_calls')
    .selectAll()
    .where('run', '=', filter.run)
    .where((eb) => isMeant(eb, 'm', filter))
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .execute()
  return rows.map((row) => ({
    type: 'model_call',
    cursor: cursorOf({ at: row.started_at, kind: 'm', id: row.id }),
    call: toModelCall(row),
  }))
}

async function toolEntries(db: Kysely<Tables>, filter: TimelineFilter): Promise<readonly TimelineEntry[]> {
  const rows = await db
    .selectFrom('tool_executions')
    .selectAll()
    .where('session', '=', filter.run)
    .where((eb) => isMeant(eb, 't', filter))
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .execute()
  return rows.map((row) => ({
    type: 'tool_call',
    cursor: cursorOf({ at: row.started_at, kind: 't', id: row.id }),
    call: toToolExecution(row),
  }))
}

/**
 * True if a column contains a text, ignoring the case of A to Z. Both databases lower only these
 * letters in such columns.
 */
function hasText(column: Expression<unknown>, text: string): RawBuilder<SqlBool> {
  const small = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const pattern = `%${small.replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql<SqlBool>`lower(${column}) like ${pattern} escape '\\'`
}

/** Like `hasText` for a column with JSON, which escapes quotes and line ends. */
function hasJsonText(column: Expression<unknown>, text: string): RawBuilder<SqlBool> {
  return hasText(column, JSON.stringify(text).slice(1, -1))
}
