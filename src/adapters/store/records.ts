import type { Kysely, Selectable } from 'kysely'
import type { AcceptanceTests } from '../../domain/acceptance/acceptance-tests.ts'
import type { Command } from '../../domain/command.ts'
import type { Message } from '../../domain/lane/message.ts'
import type { MachineKind } from '../../domain/machine.ts'
import type { Machines } from '../../domain/machines.ts'
import type { InfraErrorType, Manifest, Verdict } from '../../domain/verification/verdict.ts'
import type { VerificationRow } from '../../ports/rows.ts'
import type { Records } from '../../ports/store.ts'
import { toModelCall, toToolExecution } from './call-rows.ts'
import { createChatRecords } from './chat-records.ts'
import { eventOf } from './event-rows.ts'
import { readForgeCalls, readForgeCallsNamed } from './forge-call-rows.ts'
import { createHistoryRecords } from './history-records.ts'
import { createHubRecords } from './hub/hub-rows.ts'
import { machineOfRow } from './machine-of-row.ts'
import { prepared } from './prepared.ts'
import { createSpendingRecords } from './spending-records.ts'
import type { Tables } from './tables.ts'
import { readWorkload } from './workload-records.ts'

const machineById = prepared<{ id: string }>()((db, { id }) =>
  db.selectFrom('machines').selectAll().where('id', '=', id),
)
const machineOfKind = prepared<{ id: string; kind: string }>()((db, { id, kind }) =>
  db.selectFrom('machines').selectAll().where('id', '=', id).where('kind', '=', kind),
)
const messagesAfter = prepared<{ lane: string; after: number }>()((db, { lane, after }) =>
  db
    .selectFrom('messages')
    .select('message')
    .where('lane', '=', lane)
    .where('sequence', '>', after)
    .orderBy('sequence'),
)
const toolCall = prepared<{ lane: string; turn: number; index: number }>()((db, { lane, turn, index }) => {
  const ofTurn = db.selectFrom('tool_executions').selectAll().where('lane', '=', lane).where('turn', '=', turn)
  return ofTurn.where('call_index', '=', index)
})
const eventsAfter = prepared<{ after: number; limit: number }>()((db, { after, limit }) =>
  db.selectFrom('events').selectAll().where('id', '>', after).orderBy('id').limit(limit),
)
const anyJob = prepared<{ run: string }>()((db, { run }) =>
  db
    .selectFrom('jobs')
    .innerJoin('machines', 'machines.id', 'jobs.machine')
    .select('jobs.id')
    .where('machines.run', '=', run)
    .where('machines.kind', '!=', 'notification')
    .limit(1),
)

/** Reads through a Kysely connection, which may be a transaction. */
export function createRecords(db: Kysely<Tables>): Records {
  return {
    ...createChatRecords(db),
    ...createHistoryRecords(db),
    ...createHubRecords(db),
    forgeCalls: (run) => readForgeCalls(db, run),
    forgeCallsNamed: (call, prefix) => readForgeCallsNamed(db, call, prefix),
    async machine(id) {
      const [row] = (await machineById(db, { id })).rows
      return row ? machineOfRow(row) : null
    },
    async machineOf(kind, id) {
      const [row] = (await machineOfKind(db, { id, kind })).rows
      return row ? toMachineOf(kind, row) : null
    },
    async machines({ kind, run, states }) {
      let query = db.selectFrom('machines').selectAll().where('kind', '=', kind).orderBy('sequence')
      if (run !== undefined) query = query.where('run', '=', run)
      if (states?.length === 0) return []
      if (states) query = query.where('state', 'in', states)
      return (await query.execute()).map((row) => toMachineOf(kind, row))
    },
    workload: () => readWorkload(db),
    async machineCounts({ kind, run }) {
      let query = db
        .selectFrom('machines')
        .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
        .where('kind', '=', kind)
        .groupBy('state')
      if (run !== undefined) query = query.where('run', '=', run)
      return new Map((await query.execute()).map(({ state, count }) => [state, Number(count)]))
    },
    async messages(lane, after = 0) {
      const { rows } = await messagesAfter(db, { lane, after })
      return rows.map((row) => JSON.parse(row.message) as Message)
    },
    async toolExecution(lane, turn, index) {
      const [row] = (await toolCall(db, { lane, turn, index })).rows
      return row ? toToolExecution(row) : null
    },
    async modelCalls(run, lane) {
      let query = db.selectFrom('model_calls').selectAll().where('run', '=', run).orderBy('id')
      if (lane !== undefined) query = query.where('lane', '=', lane)
      return (await query.execute()).map(toModelCall)
    },
    async events({ run, after, limit }) {
      if (run === undefined) return (await eventsAfter(db, { after, limit })).rows.map(eventOf)
      const ofRun = db.selectFrom('events').selectAll().where('run', '=', run)
      return (await ofRun.where('id', '>', after).orderBy('id').limit(limit).execute()).map(eventOf)
    },
    async verification(runId) {
      const row = await db.selectFrom('verifications').selectAll().where('run_id', '=', runId).executeTakeFirst()
      return row ? toVerification(row) : null
    },
    async verifications(run, story) {
      let query = db.selectFrom('verifications').selectAll().where('run', '=', run)
      if (story !== undefined) query = query.where('story', '=', story)
      return (await query.orderBy('finished_at').orderBy('run_id').execute()).map(toVerification)
    },
    async contextFiles(run, story) {
      return db
        .selectFrom('context_files')
        .selectAll()
        .where('run', '=', run)
        .where('story', '=', story)
        .orderBy('n')
        .execute()
    },
    async acceptanceTests(owner) {
      const row = await db.selectFrom('acceptance_tests').select('tests').where('owner', '=', owner).executeTakeFirst()
      return row === undefined ? null : (JSON.parse(row.tests) as AcceptanceTests)
    },
    ...createSpendingRecords(db),
    async pendingCommands() {
      const rows = await db.selectFrom('commands').selectAll().where('applied_at', 'is', null).orderBy('id').execute()
      return rows.map((row) => ({ key: row.key, command: JSON.parse(row.payload) as Command }))
    },
    async commandAt(key) {
      const row = await db.selectFrom('commands').select('payload').where('key', '=', key).executeTakeFirst()
      return row === undefined ? null : (JSON.parse(row.payload) as Command)
    },
    async commandApplied(key) {
      const row = await db.selectFrom('commands').select('applied_at').where('key', '=', key).executeTakeFirst()
      return typeof row?.applied_at === 'string'
    },
    async isIdle(run) {
      return (await anyJob(db, { run })).rows.length === 0
    },
  }
}

/** The cast is safe, since the query selects only rows of this kind. */
function toMachineOf<Kind extends MachineKind>(_: Kind, row: Selectable<Tables['machines']>): Machines[Kind] {
  return machineOfRow(row) as Machines[Kind]
}

function toVerification(row: Selectable<Tables['verifications']>): VerificationRow {
  return {
    runId: row.run_id,
    run: row.run,
    story: row.story,
    commitSha: row.commit_sha,
    status: row.status as Verdict['status'],
    errorType: row.error_type as InfraErrorType | null,
    errorMessage: row.error_message,
    tailLog: row.tail_log,
    manifest: row.manifest === null ? null : (JSON.parse(row.manifest) as Manifest),
    finishedAt: row.finished_at,
  }
}
