import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import type { Lane } from '../../src/domain/lane/lane.ts'
import type { Machine } from '../../src/domain/machine.ts'
import type { JobStore, SharedJobStore } from '../../src/ports/jobs.ts'
import type { VerificationRow } from '../../src/ports/rows.ts'
import { StaleVersion, type StateReader } from '../../src/ports/store.ts'
import { psql, sharedServer } from '../postgres/server.ts'
import { onPostgres, sharedStore } from './engines.ts'
import { placeOf, postgres } from './stores.ts'
import { untilIdle } from './until-idle.ts'

/**
 * The state on PostgreSQL in one schema: the differences from SQLite, and each statement once. The
 * full suites of the store and the engine are long tests.
 */
let location: string
let store: SharedJobStore
let other: JobStore
let reader: StateReader
beforeAll(async () => {
  location = await sharedStore.createLocation()
  // Both stores and the reader find the schema ready, whichever store created it.
  ;[store, other] = await Promise.all([sharedStore.open(location), sharedStore.open(location)])
  reader = await sharedStore.openRecords(location)
})
afterAll(async () => {
  for (const each of [reader, other, store]) await each.close()
})

const bare = { kind: 'lane', run: 'r', story: null, data: { slot: null }, state: 'ASKING' } as const
/**
 * JSON data keeps the text unchanged. A text column of PostgreSQL can contain neither the null
 * character nor half of a surrogate pair.
 */
const odd = 'naïve — “ok” \0 \\u0000 \ud83d'
const kept = /^naïve — “ok” [\0\u2400] \\u0000 \ufffd$/
const at = '2026-11-03T10:00:00.000Z'

test('a transaction is seen whole by others, once it is committed, or not at all', async () => {
  const [inside, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const writing = store.transact(async (tx) => {
    await tx.queue(await tx.insertMachine({ ...bare, id: 'a' }))
    await tx.appendEvent({ run: 'r', story: null, type: 'resumed', data: { lane: odd } })
    inside.resolve()
    await leave.promise
  })
  await inside.promise
  expect([await store.machine('a'), await reader.machine('a')]).toEqual([null, null])
  leave.resolve()
  await writing
  expect(await other.machine('a')).toMatchObject({ ...bare, id: 'a', version: 1 })
  expect(await reader.events({ after: 0, limit: 9 })).toMatchObject([{ id: 1, data: { lane: odd } }])
  const failing = store.transact(async (tx) => {
    await tx.insertMachine({ ...bare, id: 'b' })
    await tx.insertMachine({ ...bare, id: 'a' })
  })
  await expect(failing).rejects.toThrow()
  expect(await reader.machines({ kind: 'lane', run: 'r', states: ['ASKING'] })).toMatchObject([{ id: 'a' }])
})

test('a machine is changed by who has its version, and of two that decide at once each sees the other', async () => {
  const first = (await store.machine('a')) as Machine
  await other.transact((tx) => tx.edit(first, {}))
  await expect(store.transact((tx) => tx.edit(first, {}))).rejects.toThrow(StaleVersion)
  const take = (writer: JobStore, id: string) =>
    writer.transact(async (tx) => {
      const lanes = await tx.machines({ kind: 'lane', run: 'slots' })
      if (lanes.length > 0) return false
      await tx.insertMachine({ ...bare, id, run: 'slots' })
      return true
    })
  const taken = await Promise.all([store, other, store, other].map((writer, n) => take(writer, `slots ${n}`)))
  expect(taken.filter(Boolean)).toHaveLength(1)
})

test('every kind of row comes back as it was written', async () => {
  const usage = { input: 100, output: 20, cacheRead: 90, cacheWrite: 5 }
  const call = {
    lane: 'a',
    turn: 1,
    run: 'rows',
    story: 'one',
    agent: 'editor',
    model: 'm',
    stop: 'tools',
    error: null,
    usage,
    costMicroUsd: 700,
    startedAt: at,
    durationMs: 3,
  }
  const tool = {
    session: 'rows',
    lane: 'a',
    turn: 1,
    index: 0,
    callId: 'c',
    story: 'one',
    agent: 'editor',
    tool: 'read_file',
    arguments: { path: odd },
    startedAt: at,
    expectation: null,
    result: odd,
    success: true,
    durationMs: 1,
    finishedAt: at,
  }
  const verification: VerificationRow = {
    runId: 'run_1',
    run: 'rows',
    story: 'one',
    commitSha: 'c',
    status: 'FAIL',
    errorType: null,
    errorMessage: null,
    tailLog: odd,
    manifest: null,
    finishedAt: at,
  }
  const file = { run: 'rows', story: 'one', n: 1, milestone: 'plan', content: odd }
  const forgeCall = { key: 'push/a', run: 'rows', call: 'push', request: { sha: 'a' } }
  const said = {
    agent_id: 'editor',
    content: odd,
    reply_to: null,
    post_type: 'escalate',
    run: 'rows',
    story: 'one',
  } as const
  const lane = { id: 'a', run: 'rows', story: 'one' }
  const asked = await store.transact(async (tx) => {
    await tx.appendMessages('a', [{ role: 'user', text: odd }])
    await tx.insertModelCall(call)
    await tx.finishTool(tool)
    await tx.insertVerification(verification)
    await tx.insertContextFile(file)
    await tx.insertCommand({ key: 'k', command: { kind: 'cancel', run: 'rows' } })
    await tx.startForgeCall(forgeCall)
    await tx.finishForgeCall('push/a', { number: 1 })
    await tx.reserve(lane, { microUsd: 50, tokens: 5 })
    await tx.insertHubToken({ name: 'ada', role: 'viewer', hash: 'h', expiresAt: null })
    return tx.postMessage(said)
  })
  await store.transact((tx) => tx.postMessage({ ...said, agent_id: 'human', reply_to: asked.id, post_type: 'reply' }))
  expect(await reader.messages('a')).toEqual([{ role: 'user', text: odd }])
  expect(await reader.toolExecution('a', 1, 0)).toMatchObject({ callId: 'c', result: expect.stringMatching(kept) })
  expect(await reader.verifications('rows')).toMatchObject([{ runId: 'run_1', tailLog: expect.stringMatching(kept) }])
  expect(await reader.contextFiles('rows', 'one')).toEqual([{ ...file, content: expect.stringMatching(kept) }])
  expect(await reader.pendingCommands()).toEqual([{ key: 'k', command: { kind: 'cancel', run: 'rows' } }])
  expect(await reader.forgeCalls('rows')).toMatchObject([{ ...forgeCall, answer: { number: 1 } }])
  expect(await reader.chat({ run: 'rows' })).toMatchObject([asked, { agent_id: 'human', reply_to: asked.id }])
  expect(await reader.hubTokens()).toMatchObject([{ name: 'ada', role: 'viewer' }])
  expect(await reader.totals('rows')).toMatchObject({ calls: 1, tokens: 120, toolCalls: 1, costMicroUsd: 700 })
  expect(await reader.spent('rows', 'one')).toMatchObject({ microUsd: 750, underWay: 1 })
  expect(await reader.spending('rows')).toMatchObject([{ story: 'one', calls: 1, microUsd: 700 }])
  expect(await reader.isIdle('rows')).toBe(true)
})

test('a shared engine takes each step once, of all that others queue', async () => {
  const adapter = onPostgres.find(({ name }) => name.startsWith('shared'))
  const failures: unknown[] = []
  const engines = [store, other].map((each) => adapter?.create(each, (error) => failures.push(error)))
  const [first, second] = engines
  if (first === undefined || second === undefined) throw new Error('no shared engine')
  const taken: string[] = []
  for (const engine of [first, second])
    engine.work('lane', 2, async ({ machine, version }, commit) => {
      await commit(async (tx) => {
        const moved = await tx.edit((await tx.machine(machine)) as Lane, {})
        if (moved.version <= 3) await tx.queue(moved)
      })
      taken.push(`${machine} ${version}`)
    })
  await first.transact(async (tx) => {
    for (const id of ['x', 'y', 'z']) await tx.queue(await tx.insertMachine({ ...bare, run: 'steps', id }))
  })
  await untilIdle(first, store)
  await Promise.all([first.stop({ drain: true }), second.stop({ drain: true })])
  const ofSteps = taken.filter((step) => /^[xyz]/.test(step))
  expect(ofSteps.toSorted()).toEqual(['x', 'y', 'z'].flatMap((id) => [1, 2, 3].map((version) => `${id} ${version}`)))
  expect(failures).toEqual([])
})

test('an older schema gets its table of last writes from the owner, keeps its rows, and a guest makes nothing', async () => {
  const old = await sharedStore.createLocation()
  const before = await postgres.open(old)
  await before.transact((tx) => tx.insertMachine({ ...bare, id: 'before' }))
  await before.close()
  const { schema } = placeOf(old)
  const ask = async (sql: string) => psql(await sharedServer(), sql, new URL(placeOf(old).url).pathname.slice(1)).trim()
  await ask(`drop table ${schema}.last_writes, ${schema}.acceptance_tests;
    alter table ${schema}.chat_messages drop column asker, drop column asker_kind;
    delete from ${schema}.kysely_migration where name >= '009';
    delete from ${schema}.schema_versions where migration >= '009'`)
  const isThere = () => ask(`select to_regclass('${schema}.last_writes') is not null`)
  const guest = createPostgresStore({ ...placeOf(old), clock: createSystemClock(), isGuest: true })
  await expect(guest).rejects.toMatchObject({ code: 'worker_version' })
  expect(await isThere()).toBe('f')

  const after = await postgres.open(old)
  expect(await isThere()).toBe('t')
  expect(await after.machine('before')).toMatchObject({ id: 'before' })
  await after.transact((tx) => tx.insertMachine({ ...bare, id: 'after' }))
  expect(await ask(`select max(number) from ${schema}.last_writes`)).toBe('1')
  await after.close()
})
