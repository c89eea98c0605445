import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'

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
