import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import type { Lane } from '../../src/domain/lane/lane.ts'
import type { Engine } from '../../src/ports/engine.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import type { ToolExecution } from '../../src/ports/rows.ts'
import { decorate } from '../../src/workflow/decorate.ts'
import { type Ahead, createAhead } from '../../src/workflow/lane/ahead.ts'
import { laneOf } from '../agents/asking.ts'

const run = 'run'
const started: ToolExecution = {
  session: run,
  lane: 'run/lane',
  turn: 1,
  index: 0,
  callId: 'call',
  story: null,
  agent: 'editor_coding',
  tool: 'run_command',
  arguments: { command: 'make' },
  expectation: null,
  startedAt: '2026-11-03T10:00:00.000Z',
  result: null,
  success: null,
  durationMs: null,
  finishedAt: null,
}

let folder: string
let store: JobStore
let ahead: Ahead
let engine: Engine
let lane: Lane

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ahead-'))
  const clock = createSystemClock()
  store = await createSqliteStore({ file: join(folder, 'state.db'), clock })
  ahead = createAhead({ isAllowed: true })
  // No process takes the lane's steps: they wait like those of a lane during an outage.
  engine = decorate(createEmbeddedEngine({ store, clock, onFailure: () => undefined }), [ahead.withdrawing])
  const { id, story, data } = laneOf()
  lane = await engine.transact(async (tx) => {
    const created = await tx.create({ id, kind: 'lane', run, story, data }, 'queue')
    await tx.reserve(created, { microUsd: 500, tokens: 40 })
    await tx.startTool(started)
    ahead.note(id)
    return created
  })
})

afterEach(async () => {
  await engine.stop()
  await store.close()
  await rm(folder, { recursive: true })
})

/** The records stored for the lane's next step. */
async function stored() {
  return { spent: (await store.spent(run)).microUsd, row: await store.toolExecution(lane.id, 1, 0) }
}
const nothing = { spent: 0, row: null }
const all = { spent: 500, row: started }

describe('records that are stored ahead of a step', () => {
  test('is there, and is taken once', async () => {
    expect(await stored()).toEqual(all)
    expect([ahead.take(lane.id), ahead.take(lane.id)]).toEqual([true, false])
  })

  test('is withdrawn when the step is taken back for a pause', async () => {
    await engine.transact((tx) => tx.hold(run))
    expect(await stored()).toEqual(nothing)
    expect(ahead.has(lane.id)).toBe(false)
  })

  test('is withdrawn when the step is dropped', async () => {
    await engine.transact((tx) => tx.drop(run))
    expect(await stored()).toEqual(nothing)
    expect(ahead.has(lane.id)).toBe(false)
  })

  test('is withdrawn when the lane ends, and nothing of it counts as a call whose end was missed', async () => {
    await engine.transact(async (tx) => {
      await tx.settle(lane.id, 'lost')
      await tx.move(lane, 'ended', { next: 'rest' })
    })
    expect(await stored()).toEqual(nothing)
    expect(ahead.has(lane.id)).toBe(false)
  })

  test('stays with a step whose taking back was not committed', async () => {
    const taking = engine.transact(async (tx) => {
      await tx.hold(run)
      throw new Error('no')
    })
    await expect(taking).rejects.toThrow('no')
    expect(await stored()).toEqual(all)
    expect(ahead.has(lane.id)).toBe(true)
  })

  test('is withdrawn before the process ends', async () => {
    await ahead.withdrawAll(engine)
    expect(await stored()).toEqual(nothing)
    expect(ahead.has(lane.id)).toBe(false)
  })

  test('counts as begun for the next process', async () => {
    await createAhead({ isAllowed: true }).withdrawAll(engine)
    const next = decorate(engine, [createAhead({ isAllowed: true }).withdrawing])
    await next.transact((tx) => tx.settle('another lane', 'lost'))
    expect(await stored()).toEqual(all)
  })
})
