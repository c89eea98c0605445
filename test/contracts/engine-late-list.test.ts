import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import type { Lane } from '../../src/domain/lane/lane.ts'

test('a step that ends while the jobs are being listed does not start again', async () => {
  const clock = createSystemClock()
  const folder = await mkdtemp(join(tmpdir(), 'drydock-late-'))
  const store = await createSqliteStore({ file: join(folder, 'drydock.db'), clock })
  const [begun, goOn, listed, answer] = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  if (!begun || !goOn || !listed || !answer) throw new Error('four of them')
  const jobs: typeof store.jobs = async (host) => {
    const list = await store.jobs(host)
    if (list.length < 2) return list
    // The list is read before the step ends, but returned after it, as by a slow server.
    listed.resolve()
    await answer.promise
    return list
  }
  const engine = createEmbeddedEngine({ store: { ...store, jobs }, clock, onFailure: () => {}, host: 'here' })
  onTestFinished(async () => {
    await engine.stop()
    await store.close()
    await rm(folder, { recursive: true })
  })
  const starts: string[] = []
  const all = Promise.withResolvers<void>()
  engine.work('lane', 1, async ({ machine }, commit) => {
    starts.push(machine)
    begun.resolve()
    if (machine === 'a' && starts.length === 1) await goOn.promise
    await commit(async () => {})
    if (machine === 'b') all.resolve()
  })
  const insert = (id: string) =>
    engine.transact(async (tx) => {
      await tx.queue(await tx.insertMachine({ id, kind: 'lane', run: 'run', story: null, data: null, state: 'ASKING' }))
    })
  await insert('a')
  await begun.promise
  await insert('b')
  await listed.promise
  const isOver = Promise.withResolvers<void>()
  engine.onCommit(isOver.resolve)
  goOn.resolve()
  await isOver.promise
  // The handler ends some event-loop turns after its commit.
  await new Promise(setImmediate)
  answer.resolve()
  await all.promise
  expect(starts).toEqual(['a', 'b'])
})

test('the jobs are read once for each commit, also when a step ends later than its commit', async () => {
  const clock = createSystemClock()
  const folder = await mkdtemp(join(tmpdir(), 'drydock-looks-'))
  const store = await createSqliteStore({ file: join(folder, 'drydock.db'), clock })
  let reads = 0
  const jobs: typeof store.jobs = (taker) => {
    reads += 1
    return store.jobs(taker)
  }
  const engine = createEmbeddedEngine({ store: { ...store, jobs }, clock, onFailure: () => {}, host: 'here' })
  onTestFinished(async () => {
    await engine.stop()
    await store.close()
    await rm(folder, { recursive: true })
  })
  const steps = 10
  let taken = 0
  const all = Promise.withResolvers<void>()
  engine.work('lane', 1, async ({ machine }, commit) => {
    await commit(async (tx) => {
      taken += 1
      const edited = await tx.edit((await tx.machineOf('lane', machine)) as Lane, {})
      if (taken < steps) await tx.queue(edited)
    })
    // Waits for two rounds of the event loop, like a step that looks at its Run once more.
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    if (taken === steps) all.resolve()
  })
  await engine.transact(async (tx) => {
    const lane = { id: 'a', kind: 'lane', run: 'run', story: null, data: null, state: 'ASKING' } as const
    await tx.queue(await tx.insertMachine(lane))
  })
  await all.promise
  // One for the work that begins, and one for each commit.
  expect(reads).toBeLessThanOrEqual(steps + 2)
})
