import { type Kysely, sql } from 'kysely'
import { limits } from '../../domain/limits.ts'
import type { Machine, MachineKind } from '../../domain/machine.ts'
import { initialStates, type Machines, nextState } from '../../domain/machines.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ToolExecution } from '../../ports/rows.ts'
import { type NewMachine, type Next, StaleVersion, type Transaction } from '../../ports/store.ts'
import { createRecords } from './records.ts'
import type { Tables } from './tables.ts'

/** Writing through a Kysely transaction. */
export function createTransaction(db: Kysely<Tables>, clock: Clock): Omit<Transaction, 'hasWritten'> {
  const now = () => clock.now().toISOString()
  const records = createRecords(db)

  async function insert(machine: Omit<Machine, 'version'>): Promise<Machine> {
    const at = now()
    const row = { ...machine, version: 1, data: JSON.stringify(machine.data), created_at: at, updated_at: at }
    await db.insertInto('machines').values(row).execute()
    return { ...machine, version: 1 }
  }

  /** Fenced by the version. */
  async function put<M extends Machine>(machine: M, change: Pick<Machine, 'state' | 'data'>): Promise<M> {
    const version = machine.version + 1
    const result = await db
      .updateTable('machines')
      .set({ state: change.state, data: JSON.stringify(change.data), version, updated_at: now() })
      .where('id', '=', machine.id)
      .where('version', '=', machine.version)
      .executeTakeFirst()
    if (result.numUpdatedRows !== 1n) throw new StaleVersion(machine.id, machine.version)
    return { ...machine, ...change, version }
  }

  async function enqueue(machine: Machine, runAt = clock.now()): Promise<void> {
    await db
      .insertInto('jobs')
      .values({ queue: machine.kind, machine: machine.id, version: machine.version, run_at: runAt.toISOString() })
      .onConflict((conflict) => conflict.columns(['machine', 'version']).doNothing())
      .execute()
  }

  async function follow(machine: Machine, next: Next): Promise<void> {
    if (next !== 'rest') await enqueue(machine, next === 'queue' ? undefined : next)
  }

  return {
    ...records,
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
      const queued = await db
        .selectFrom('jobs')
        .select('run_at')
        .where('machine', '=', id)
        .where('version', '=', version)
        .executeTakeFirst()
      const edited = await put(machine, { state, data: { ...(machine.data as object), ...(data as object) } })
      if (queued !== undefined) await enqueue(edited, new Date(queued.run_at))
      return edited
    },
    async appendEvent({ run, story, type, data }) {
      await db
        .insertInto('events')
        .values({ run, story, type, data: JSON.stringify(data), at: now() })
        .execute()
    },
    async appendMessages(lane, messages) {
      for (const message of messages) {
        const next = sql<number>`(select coalesce(max(sequence), 0) + 1 from messages where lane = ${lane})`
        await db
          .insertInto('messages')
          .values({ lane, sequence: next, message: JSON.stringify(message) })
          .execute()
      }
    },
    async postMessage(message) {
      const { agent_id, content, reply_to, post_type, run, story } = message
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
      }
      // Without `returning`: the dialect redacts what is written by statements that return no rows.
      const { insertId } = await db.insertInto('chat_messages').values(row).executeTakeFirstOrThrow()
      const posted = await records.chatMessage(String(insertId))
      if (posted === null) throw new Error(`message ${insertId} is not where it was written`)
      return posted
    },
    async reserve({ id, run, story }, { microUsd, tokens }) {
      await db.updateTable('reservations').set({ open: 0 }).where('lane', '=', id).execute()
      await db
        .insertInto('reservations')
        .values({ run, story, lane: id, micro_usd: microUsd, tokens, open: 1 })
        .execute()
    },
    async settle(lane, outcome) {
      if (outcome === 'lost') await db.updateTable('reservations').set({ open: 0 }).where('lane', '=', lane).execute()
      else await db.deleteFrom('reservations').where('lane', '=', lane).where('open', '=', 1).execute()
    },
    async insertModelCall(call) {
      const { usage, startedAt, durationMs, costMicroUsd, ...columns } = call
      await db
        .insertInto('model_calls')
        .values({
          ...columns,
          input_tokens: usage?.input ?? null,
          output_tokens: usage?.output ?? null,
          cache_read_tokens: usage?.cacheRead ?? null,
          cache_write_tokens: usage?.cacheWrite ?? null,
          cost_micro_usd: costMicroUsd,
          started_at: startedAt,
          duration_ms: durationMs,
        })
        .execute()
    },
    async startTool(execution) {
      await db
        .insertInto('tool_executions')
        .values(toRow(execution))
        .onConflict((conflict) => conflict.columns(['lane', 'turn', 'call_index']).doNothing())
        .execute()
    },
    async finishTool(execution) {
      const row = toRow(execution)
      const { result, success, duration_ms, finished_at } = row
      await db
        .insertInto('tool_executions')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['lane', 'turn', 'call_index']).doUpdateSet({ result, success, duration_ms, finished_at }),
        )
        .execute()
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
    enqueue,
    async endJob(id) {
      await db.deleteFrom('jobs').where('id', '=', id).execute()
    },
    async endJobsOf(run) {
      await db
        .deleteFrom('jobs')
        .where('queue', '!=', 'notification')
        .where('machine', 'in', db.selectFrom('machines').select('id').where('run', '=', run))
        .execute()
    },
  }
}

function toRow(execution: ToolExecution) {
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
