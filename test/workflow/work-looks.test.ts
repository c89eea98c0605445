import { expect, onTestFinished, test } from 'vitest'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import { newStory } from '../../src/domain/story/story.ts'
import type { Engine } from '../../src/ports/engine.ts'
import type { WorkTrees } from '../../src/ports/work-trees.ts'
import { createWorkLooks } from '../../src/workflow/story/work-looks.ts'
import { laneOf } from '../agents/asking.ts'
import { createMemoryClock } from '../world/clock.ts'
import { createMemoryStore } from '../world/store.ts'

const away = new DrydockError('hub_unreachable', 'The hub is away.', { todo: 'Wait.' })
const disk = new Error('the disk is slow')
const task = { text: 'Make alpha', constraints: [], non_goals: [], files: [] }

/**
 * A coding editor on this host. Each look takes `lookMs`, and fails with the next of `failures`.
 */
async function atWork({ failures = [] as readonly Error[], lookMs = 0, isReached = () => true, host = 'one/one-1' }) {
  const clock = createMemoryClock()
  const store = await createMemoryStore({ clock })
  const told = { ...laneOf({ role: 'editor_coding', key: 'editor/alpha/CODING' }), story: 'alpha' }
  const story = newStory({ name: 'alpha', task, planned: null, dryRun: false, base: 'b', slot: 'one-001' })
  const own = { run: told.run, story: 'alpha' }
  await store.transact(async (tx) => {
    await tx.insertMachine({
      ...own,
      id: 'slot/one-001',
      kind: 'slot',
      state: 'OFFERED',
      data: { name: 'one-001', host: 'one/one-1' },
    })
    await tx.insertMachine({ ...own, id: `${told.run}/alpha`, kind: 'story', state: 'CODING', data: story })
    await tx.insertMachine({ ...own, id: told.id, kind: 'lane', state: 'ASKING', data: told.data })
  })
  const left = [...failures]
  const kept: number[] = []
  let tries = 0
  const begun = clock.now().getTime()
  const workTrees = {
    async snapshot(_: unknown, signal: AbortSignal) {
      tries += 1
      await clock.sleep(lookMs, { signal })
      const failure = left.shift()
      if (failure !== undefined) throw failure
      kept.push(clock.now().getTime() - begun)
      return { ok: true, snapshot: null }
    },
  } as unknown as WorkTrees
  const reached = Promise.withResolvers<void>()
  const looks = createWorkLooks({
    store,
    clock,
    workTrees,
    engine: { host } as Engine,
    share: { untilReached: async () => void (isReached() || (await reached.promise)) },
  })
  onTestFinished(async () => {
    await looks.end()
    await store.close()
  })
  return {
    clock,
    kept,
    looks,
    lane: told.id,
    tries: () => tries,
    back: reached.resolve,
    /** Advances the clock second by second, so that everyone who wakes reaches the next sleep. */
    async pass(ms: number) {
      for (let passed = 0; passed <= ms; passed += 1_000) {
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
        if (passed < ms) await clock.advance(1_000)
      }
    },
  }
}

test('a look that failed is taken again by itself, within 10 seconds', async () => {
  const { pass, kept, looks, lane } = await atWork({ failures: [away, disk, away] })
  looks.after(lane)
  await pass(10_000)
  expect(kept).toHaveLength(1)
})

test('an editor’s edits wait for the next look at most 10 seconds longer, however long one takes', async () => {
  const { pass, kept, looks, lane } = await atWork({ lookMs: 6_000 })
  looks.after(lane)
  await pass(6_000)
  looks.after(lane)
  await pass(11_000)
  expect(kept).toEqual([6_000, 17_000])
})

test('a look waits for a hub that is away, and is taken when the hub is back', async () => {
  let isThere = false
  const { pass, kept, looks, lane, tries, back } = await atWork({ isReached: () => isThere })
  looks.after(lane)
  await pass(600_000)
  expect(tries()).toBe(0)
  isThere = true
  back()
  await pass(0)
  expect(kept).toEqual([600_000])
})

test('a look that always fails is tried ever less often', async () => {
  const { pass, kept, looks, lane, tries } = await atWork({ failures: Array.from({ length: 100 }, () => disk) })
  looks.after(lane)
  await pass(600_000)
  expect([kept, tries() < 25]).toEqual([[], true])
})

test('no look is taken of a workspace whose slot is on another host by now', async () => {
  const { pass, looks, lane, tries } = await atWork({ host: 'two/two-1' })
  looks.after(lane)
  await pass(60_000)
  expect(tries()).toBe(0)
})
