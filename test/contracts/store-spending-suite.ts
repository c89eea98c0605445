import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ModelCall } from '../../src/ports/rows.ts'
import type { Store } from '../../src/ports/store.ts'
import type { StoreAdapter } from './stores.ts'

const run = 'run-1'
const call: ModelCall = {
  lane: `${run}/editor/task/CODING`,
  turn: 1,
  run,
  story: 'task',
  agent: 'editor_coding',
  model: 'm',
  stop: 'calls',
  error: null,
  usage: { input: 100, output: 20, cacheRead: 90, cacheWrite: 5 },
  costMicroUsd: 700,
  startedAt: '2026-11-03T10:00:00.000Z',
  durationMs: 3,
}
const lane = { id: call.lane, run, story: 'task' }
const other = { id: `${run}/architect/REQUEST/plan/two/1`, run, story: 'two' }
const nothing = { microUsd: 0, tokens: 0 }

export function spendingSuite(adapter: StoreAdapter): void {
  let location: string
  let store: Store
  beforeEach(async () => {
    location = await adapter.createLocation()
    store = await adapter.open(location)
  })
  afterEach(async () => {
    await store.close()
    await adapter.remove(location)
  })

  test('has spent nothing before the first call', async () => {
    expect(await store.spent(run)).toEqual({ ...nothing, reserved: nothing, underWay: 0 })
    expect(await store.spending(run)).toEqual([])
  })

  test('counts what is reserved as spent, for the Run and the story, until it is settled', async () => {
    const held = { microUsd: 5_000, tokens: 300 }
    await store.transact((tx) => tx.reserve(lane, held))
    expect(await store.spent(run)).toEqual({ ...held, reserved: held, underWay: 1 })
    expect(await store.spent(run, 'task')).toEqual({ ...held, reserved: held, underWay: 1 })
    expect(await store.spent(run, 'two')).toEqual({ ...nothing, reserved: nothing, underWay: 1 })
    expect(await store.spent('run-2')).toEqual({ ...nothing, reserved: nothing, underWay: 0 })
    expect(await store.totals(run)).toMatchObject({ costMicroUsd: 0, unpriced: 0 })
    await store.transact(async (tx) => {
      await tx.settle(lane.id, 'known')
      await tx.insertModelCall(call)
    })
    expect(await store.spent(run)).toEqual({ microUsd: 700, tokens: 120, reserved: nothing, underWay: 0 })
  })

  test('keeps as spent what was reserved for a call that nobody saw end', async () => {
    await store.transact((tx) => tx.reserve(lane, { microUsd: 5_000, tokens: 300 }))
    await store.transact((tx) => tx.settle(lane.id, 'lost'))
    const lost = { microUsd: 5_000, tokens: 300, reserved: nothing, underWay: 0 }
    expect(await store.spent(run)).toEqual(lost)
    await store.transact((tx) => tx.settle(lane.id, 'known'))
    expect(await store.spent(run)).toEqual(lost)
    expect(await store.totals(run)).toMatchObject({ calls: 0, tokens: 300, costMicroUsd: 5_000, unpriced: 0 })
  })

  test('has one reservation a lane: a second one leaves the first spent', async () => {
    await store.transact((tx) => tx.reserve(lane, { microUsd: 5_000, tokens: 300 }))
    await store.transact((tx) => tx.reserve(lane, { microUsd: 1_000, tokens: 100 }))
    const reserved = { microUsd: 1_000, tokens: 100 }
    expect(await store.spent(run)).toEqual({ microUsd: 6_000, tokens: 400, reserved, underWay: 1 })
  })

  test('has any number of reservations a lane where each is settled by itself', async () => {
    const [first, second] = await store.transact(async (tx) => [
      await tx.reserveBeside(lane, { microUsd: 5_000, tokens: 300 }),
      await tx.reserveBeside(lane, { microUsd: 1_000, tokens: 100 }),
    ])
    await store.transact((tx) => tx.changeReservation(second ?? 0, { microUsd: 2_000, tokens: 200 }))
    expect(await store.spent(run)).toMatchObject({ microUsd: 7_000, tokens: 500, underWay: 2 })
    await store.transact((tx) => tx.settleReservation(first ?? 0, 'known'))
    expect(await store.spent(run)).toMatchObject({ microUsd: 2_000, tokens: 200, underWay: 1 })
    await store.transact((tx) => tx.settle(lane.id, 'lost'))
    expect(await store.spent(run)).toMatchObject({ microUsd: 2_000, reserved: nothing, underWay: 0 })
    // The cost of the call whose lane ended earlier becomes known after all.
    await store.transact((tx) => tx.settleReservation(second ?? 0, 'known'))
    expect(await store.spent(run)).toMatchObject(nothing)
  })

  test('numbers the calls of a lane that does not count them itself', async () => {
    expect(await store.transact((tx) => tx.nextTurn(lane.id))).toBe(0)
    await store.transact((tx) => tx.insertModelCall(call))
    expect(await store.transact((tx) => tx.nextTurn(lane.id))).toBe(2)
    expect(await store.transact((tx) => tx.nextTurn(other.id))).toBe(0)
  })

  test('is held for a lane until its call is settled', async () => {
    await store.transact(async (tx) => {
      await tx.reserve(lane, { microUsd: 5_000, tokens: 300 })
      await tx.reserve(other, { microUsd: null, tokens: 100 })
    })
    expect([await store.holdsReservation(lane.id), await store.holdsReservation('another')]).toEqual([true, false])
    await store.transact(async (tx) => {
      await tx.settle(lane.id, 'lost')
      await tx.settle(other.id, 'lost')
    })
    expect(await store.holdsReservation(lane.id)).toBe(false)
    expect(await store.spent(run)).toEqual({ microUsd: 5_000, tokens: 400, reserved: nothing, underWay: 0 })
    expect(await store.totals(run)).toMatchObject({ costMicroUsd: 5_000, unpriced: 1 })
    expect(await store.totals(run, 'task')).toMatchObject({ costMicroUsd: 5_000, unpriced: 0 })
  })

  test('sums calls by story and agent, failed ones and those that nobody saw end included', async () => {
    await store.transact(async (tx) => {
      const scoping = { ...call, lane: `${run}/architect/SCOPING`, story: null, agent: 'architect_scoping' }
      await tx.insertModelCall({ ...scoping, costMicroUsd: null, startedAt: '2026-11-03T09:00:00.000Z' })
      await tx.insertModelCall(call)
      await tx.insertModelCall({
        ...call,
        lane: `${run}/editor/task/PLANNING`,
        agent: 'editor_planning',
        costMicroUsd: 300,
      })
      await tx.insertModelCall({ ...call, turn: 2, stop: 'error', error: 'timeout', usage: null, costMicroUsd: null })
      await tx.reserve(lane, { microUsd: 40, tokens: 300 })
      await tx.settle(lane.id, 'lost')
      await tx.reserve(other, { microUsd: null, tokens: 300 })
      await tx.settle(other.id, 'lost')
      await tx.reserve(other, { microUsd: 9, tokens: 1 })
      await tx.insertModelCall({ ...call, run: 'run-2', lane: 'run-2/editor/task/CODING' })
    })
    const one = { calls: 1, failed: 0, input: 100, output: 20, cacheRead: 90, cacheWrite: 5 }
    const none = { calls: 0, failed: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const { calls } = await store.workload()
    expect(calls.reduce((sum, { count }) => sum + count, 0)).toBe(5)
    expect(calls.find(({ agent }) => agent === 'editor_planning')).toMatchObject({ count: 1, failed: 0, microUsd: 300 })
    expect(calls.reduce((sum, { failed }) => sum + failed, 0)).toBe(1)
    expect(await store.spending(run)).toEqual([
      { story: null, agent: 'architect', ...one, microUsd: 0, unpriced: 1 },
      {
        story: 'task',
        agent: 'editor',
        calls: 3,
        failed: 1,
        input: 200,
        output: 40,
        cacheRead: 180,
        cacheWrite: 10,
        microUsd: 1_040,
        unpriced: 0,
      },
      { story: 'two', agent: 'architect', ...none, microUsd: 0, unpriced: 1 },
    ])
  })

  test('sums calls by agent over equal spans of time, each when it ends', async () => {
    const at = (ms: number) => new Date(Date.parse('2026-11-03T10:00:00.000Z') + ms)
    const during = { from: at(0), to: at(1_000), points: 4 }
    expect(await store.spendingOver(run, during)).toEqual({ ends: [at(1_000)], used: [] })
    const scoping = { ...call, lane: `${run}/architect/SCOPING` }
    await store.transact(async (tx) => {
      await tx.insertModelCall({ ...call, startedAt: at(0).toISOString(), durationMs: 250 })
      await tx.insertModelCall({ ...call, turn: 2, startedAt: at(0).toISOString(), durationMs: 251 })
      await tx.insertModelCall({ ...call, turn: 3, startedAt: at(499).toISOString(), durationMs: 1, usage: null })
      await tx.insertModelCall({ ...scoping, startedAt: at(400).toISOString(), costMicroUsd: null })
      await tx.insertModelCall({ ...scoping, turn: 2, startedAt: at(999).toISOString(), durationMs: 1 })
      await tx.insertModelCall({ ...call, run: 'run-2', lane: 'run-2/editor/task/CODING' })
    })
    expect(await store.spendingOver(run, during)).toEqual({
      ends: [at(250), at(500), at(750), at(1_000)],
      used: [
        { span: 0, agent: 'editor', microUsd: 700, tokens: 120 },
        { span: 1, agent: 'architect', microUsd: 0, tokens: 120 },
        { span: 1, agent: 'editor', microUsd: 1_400, tokens: 120 },
        { span: 3, agent: 'architect', microUsd: 700, tokens: 120 },
      ],
    })
    // A call that ends later extends the time; one that ended earlier is already included.
    await store.transact(async (tx) => {
      await tx.insertModelCall({ ...call, turn: 4, startedAt: at(1_000).toISOString(), durationMs: 1_000 })
      await tx.insertModelCall({ ...call, turn: 5, startedAt: at(-5_000).toISOString() })
    })
    const { ends, used } = await store.spendingOver(run, { ...during, points: 2 })
    expect(ends).toEqual([at(1_000), at(2_000)])
    expect(used.map(({ span, agent, microUsd }) => [span, agent, microUsd])).toEqual([
      [0, 'architect', 700],
      [0, 'editor', 2_800],
      [1, 'editor', 700],
    ])
  })

  test('undoes a reservation with the transaction that fails', async () => {
    const failing = store.transact(async (tx) => {
      await tx.reserve(lane, { microUsd: 5_000, tokens: 300 })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await store.spent(run)).toEqual({ ...nothing, reserved: nothing, underWay: 0 })
  })
}
