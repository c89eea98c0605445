import { type Kysely, sql } from 'kysely'
import { limits } from '../../domain/limits.ts'
import type { Machine, MachineKind } from '../../domain/machine.ts'
import { initialStates, type Machines, nextState } from '../../domain/machines.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JobTransaction } from '../../ports/jobs.ts'
import { type NewMachine, type Next, StaleVersion } from '../../ports/store.ts'
import { writeForgeCalls } from './forge-call-rows.ts'
import { followSlot } from './hosts-of-slots.ts'
import { writeHubRows } from './hub/hub-rows.ts'
import { holderOf, isOfState, readJobs, stateKeeper } from './job-rows.ts'
import { prepared } from './prepared.ts'
import { createRecords } from './records.ts'
import { createReservations, type Deferral } from './reservation-rows.ts'
import type { Tables } from './tables.ts'
import { columnsOf, type ToolRow, toolRow } from './tool-rows.ts'

type Row<Table extends keyof Tables> = Omit<Tables[Table], 'id'>

const updateMachine = prepared<Pick<Tables['machines'], 'id' | 'state' | 'data' | 'updated_at'> & Fence>()((db, row) =>
  db
    .updateTable('machines')
    .set({ state: row.state, data: row.data, version: row.version, updated_at: row.updated_at })
    .where('id', '=', row.id)
    .where('version', '=', row.before),
)
const insertJob = prepared<Omit<Row<'jobs'>, 'host'> & { holder: string; keeper: string | null }>()((db, row) => {
  const { queue, machine, version, run_at, run, story, holder, keeper } = row
  const host = sql<string>`coalesce(${keeper}, (select host from machines where id = ${holder}), '')`
  return db
    .insertInto('jobs')
    .values({ queue, machine, version, run_at, run, story, host })
    .onConflict((conflict) => conflict.columns(['machine', 'version']).doNothing())
})
const queuedAt = prepared<Pick<Row<'jobs'>, 'machine' | 'version'>>()((db, { machine, version }) =>
  db.selectFrom('jobs').select('run_at').where('machine', '=', machine).where('version', '=', version),
)
const deleteJob = prepared<{ id: number }>()((db, { id }) => db.deleteFrom('jobs').where('id', '=', id))
const insertEvent = prepared<Row<'events'>>()((db, row) =>
  db.insertInto('events').values({
    run: row.run,
    story: row.story,
    type: row.type,
    data: row.data,
    at: row.at,
    actor: row.actor,
  }),
)
const insertMessage = prepared<{ lane: string; message: string }>()((db, { lane, message }) => {
  const sequence = sql<number>`(select coalesce(max(sequence), 0) + 1 from messages where lane = ${lane})`
  return db.insertInto('messages').values({ lane, sequence, message })
})
const lastTurn = prepared<{ lane: string }>()((db, { lane }) =>
  db
    .selectFrom('model_calls')
    .select(({ fn }) => fn.max<number | null>('turn').as('turn'))
    .where('lane', '=', lane),
)
const insertModelCall = prepared<Row<'model_calls'>>()((db, row) =>
  db.insertInto('model_calls').values({
    lane: row.lane,
    turn: row.turn,
    run: row.run,
    story: row.story,
    agent: row.agent,
    model: row.model,
    stop: row.stop,
    error: row.error,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cache_read_tokens: row.cache_read_tokens,
    cache_write_tokens: row.cache_write_tokens,
    cost_micro_usd: row.cost_micro_usd,
    started_at: row.started_at,
    duration_ms: row.duration_ms,
  }),
)
const startTool = prepared<ToolRow>()((db, row) =>
  db
    .insertInto('tool_executions')
    .values(columnsOf(row))
    .onConflict((conflict) => conflict.columns(['lane', 'turn', 'call_index']).doNothing()),
)
const finishTool = prepared<ToolRow>()((db, row) => {
  const { result, success, duration_ms, finished_at } = row
  return db
    .insertInto('tool_executions')
    .values(columnsOf(row))
    .onConflict((conflict) =>
      conflict.columns(['lane', 'turn', 'call_index']).doUpdateSet({ result, success, duration_ms, finished_at }),
    )
})

interface Fence {
  readonly before: number
  readonly version: number
}

export interface TransactionHooks {
  /** Called for each step that is or will be due. */
  readonly onQueued?: (machine: Machine) => void
  /**
   * Receives writes whose result only the commit depends on; it may return before they are done.
   */
  readonly later?: Deferral
}

/** Writes through a Kysely transaction. */
export function createTransaction(
  db: Kysely<Tables>,
  clock: Clock,
  { onQueued = () => {}, later = (written) => written }: TransactionHooks = {},
): Omit<JobTransaction, 'hasWritten'> {
  const now = () => clock.now().toISOString()
  const records = createRecords(db)

  async function insert(machine: Omit<Machine, 'version'>): Promise<Machine> {
    const at = now()
    const row = { ...machine, version: 1, data: JSON.stringify(machine.data), created_at: at, updated_at: at }
    await db.insertInto('machines').values(row).execute()
    await followSlot(db, machine, null)
    return { ...machine, version: 1 }
  }

  /** The version in the condition is the fence against a stale writer. */
  async function put<M extends Machine>(machine: M, change: Pick<Machine, 'state' | 'data'>): Promise<M> {
    const { id, version: before } = machine
    const version = before + 1
    const row = { id, before, version, state: change.state, data: JSON.stringify(change.data), updated_at: now() }
    const { numAffectedRows } = await updateMachine(db, row)
    if (numAffectedRows !== 1n) throw new StaleVersion(id, before)
    await followSlot(db, { ...machine, ...change }, machine.data)
    return { ...machine, ...change, version }
  }

  async function enqueue(machine: Machine, runAt = clock.now()): Promise<void> {
    const { kind: queue, id, version, run, story } = machine
    const keeper = isOfState(machine) ? stateKeeper : null
    const row = { queue, machine: id, version, run_at: runAt.toISOString(), run, story }
    await later(insertJob(db, { ...row, holder: holderOf(machine), keeper }))
    onQueued(machine)
  }

  async function follow(machine: Machine, next: Next): Promise<void> {
    if (next !== 'rest') await enqueue(machine, next === 'queue' ? undefined : next)
  }

  return {
    ...records,
    ...createReservations(db, later),
    insertMachine: insert,
    async create<Kind extends MachineKind>(machine: NewMachine<Kind>, next: Next) {
      const created = await insert({ ...machine, state: initialStates[machine.kind] })
      await follow(created, next)
      return created as Machines[Kind]
    },
    async move(machine, event, { next, data }) {
      const state = nextState(machine, event)
      if (state === null) throw new Error(`${machine.kind} ${machine.id} knows no ${event} in ${machine.state}`)
      const moved = await put(machine, { state, data: { ...machine.data, ...data } })
      await follow(moved, next)
      return moved
    },
    async edit(machine, data) {
      const { id, version, state } = machine
      const change = { state, data: { ...(machine.data as object), ...(data as object) } }
      // Neither write depends on the other, so a server handles both in one round trip.
      const [jobs, edited] = await Promise.all([queuedAt(db, { machine: id, version }), put(machine, change)])
      const [queued] = jobs.rows
      if (queued !== undefined) await enqueue(edited, new Date(queued.run_at))
      return edited
    },
    async appendEvent({ run, story, type, data, actor = null }) {
      await later(insertEvent(db, { run, story, type, data: JSON.stringify(data), at: now(), actor }))
    },
    async appendMessages(lane, messages) {
      for (const message of messages) await later(insertMessage(db, { lane, message: JSON.stringify(message) }))
    },
    async postMessage(message) {
      const { agent_id, content, reply_to, post_type, run, story, author = null, asker } = message
      if (content.length > limits.chatChars) throw new Error(`a chat message of ${content.length} characters`)
      const answered = reply_to === null ? null : await records.chatMessage(reply_to)
      if (reply_to !== null && answered?.run !== run) throw new Error(`Run ${run} has no message ${reply_to}`)
      const row = {
        agent_id,
        content,
        timestamp: now(),
        reply_to: answered && Number(answered.id),
        post_type,
        run,
        story,
        author,
        asker_kind: asker?.kind ?? null,
        asker: asker?.machine ?? null,
      }
      const { id } = await db.insertInto('chat_messages').values(row).returning('id').executeTakeFirstOrThrow()
      const posted = await records.chatMessage(String(id))
      if (posted === null) throw new Error(`message ${id} is not where it was written`)
      return posted
    },
    async nextTurn(lane) {
      const { rows } = await lastTurn(db, { lane })
      return Number(rows[0]?.turn ?? -1) + 1
    },
    async insertModelCall(call) {
      const { usage, startedAt, durationMs, costMicroUsd, ...columns } = call
      const tokens = {
        input_tokens: usage?.input ?? null,
        output_tokens: usage?.output ?? null,
        cache_read_tokens: usage?.cacheRead ?? null,
        cache_write_tokens: usage?.cacheWrite ?? null,
      }
      const times = { started_at: startedAt, duration_ms: durationMs }
      await later(insertModelCall(db, { ...columns, ...tokens, cost_micro_usd: costMicroUsd, ...times }))
    },
    async startTool(execution) {
      await later(startTool(db, toolRow(execution)))
    },
    async finishTool(execution) {
      await later(finishTool(db, toolRow(execution)))
    },
    async withdrawTools(lane) {
      await db.deleteFrom('tool_executions').where('lane', '=', lane).where('finished_at', 'is', null).execute()
    },
    async insertVerification(row) {
      await db
        .insertInto('verifications')
        .values({
          run_id: row.runId,
          run: row.run,
          story: row.story,
          commit_sha: row.commitSha,
          status: row.status,
          error_type: row.errorType,
          error_message: row.errorMessage,
          tail_log: row.tailLog,
          manifest: row.manifest === null ? null : JSON.stringify(row.manifest),
          finished_at: row.finishedAt,
        })
        .execute()
    },
    async insertContextFile(file) {
      await db.insertInto('context_files').values(file).execute()
    },
    async keepAcceptanceTests(owner, given) {
      const tests = JSON.stringify(given)
      await db
        .insertInto('acceptance_tests')
        .values({ owner, tests })
        .onConflict((conflict) => conflict.column('owner').doUpdateSet({ tests }))
        .execute()
    },
    async insertCommand({ key, command }) {
      await db
        .insertInto('commands')
        .values({ key, kind: command.kind, payload: JSON.stringify(command), created_at: now(), applied_at: null })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute()
    },
    async markApplied(key) {
      await db.updateTable('commands').set({ applied_at: now() }).where('key', '=', key).execute()
    },
    ...writeForgeCalls(db, now),
    ...writeHubRows(db, now),
    queue: (machine) => enqueue(machine),
    async hasten(machine) {
      const { id, version } = machine
      const at = now()
      onQueued(machine)
      await db
        .updateTable('jobs')
        .set({ run_at: at })
        .where('machine', '=', id)
        .where('version', '=', version)
        .where('run_at', '>', at)
        .execute()
    },
    jobsOf: (run) => readJobs(db, run),
    async endJob(id) {
      return (await deleteJob(db, { id })).numAffectedRows === 1n
    },
  }
}
