import { describe, expect, test } from 'vitest'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import type { Lane } from '../../src/domain/lane/lane.ts'
import { createMemoryClock } from '../world/clock.ts'
import { createMemoryStore } from '../world/store.ts'
import { engineSuite } from './engine-suite.ts'
import { embedded } from './engines.ts'

describe.each(embedded)('an engine ($name)', engineSuite)

test('an engine waits for the time of its clock alone', async () => {
  const clock = createMemoryClock()
  const store = await createMemoryStore({ clock })
  const engine = createEmbeddedEngine({ store, clock, onFailure: () => {} })
  const begun: Date[] = []
  const took = Promise.withResolvers<void>()
  engine.work('lane', 1, async (_step, commit) => {
    begun.push(clock.now())
    await commit(async () => {})
    took.resolve()
  })
  const at = new Date(clock.now().getTime() + 3_600_000)
  await engine.transact(async (tx) => {
    const bare = { id: 'a', kind: 'lane', run: 'run', story: null, data: null, state: 'ACTING' } as const
    await tx.move((await tx.insertMachine(bare)) as Lane, 'all_answered', { next: at })
  })
  while (clock.next() === null) await new Promise(setImmediate)
  await clock.advance(3_599_999)
  expect(begun).toEqual([])
  await clock.advance(1)
  await took.promise
  expect(begun).toEqual([at])
  await engine.stop()
  await store.close()
})
