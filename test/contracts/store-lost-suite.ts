import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JobStore } from '../../src/ports/jobs.ts'
import type { LosingAdapter } from './stores.ts'

/** Tests stores that can lose a transaction before it is committed. */
export function lostSuite(adapter: LosingAdapter): void {
  let location: string
  let store: JobStore
  let losses: number
  beforeEach(async () => {
    losses = 0
    location = await adapter.createLocation()
    store = await adapter.openLosing(location, () => {
      losses -= 1
      return losses >= 0
    })
  })
  afterEach(async () => {
    await store.close()
    await adapter.remove(location)
  })

  const bare = { kind: 'lane', run: 'r', story: null, state: 'ASKING', data: { tries: 0 } } as const
  const said = async () => (await store.events({ after: 0, limit: 10 })).map(({ data }) => data)

  test('a transaction that is lost begins again until it is committed, and its work is done once', async () => {
    losses = 3
    let tries = 0
    const result = await store.transact(async (tx) => {
      tries += 1
      await tx.queue(await tx.insertMachine({ ...bare, id: 'a', data: { tries } }))
      await tx.appendEvent({ run: 'r', story: null, type: 'resumed', data: { lane: `${tries}` } })
      return tries
    })
    expect([result, tries]).toEqual([4, 4])
    expect(await said()).toEqual([{ lane: '4' }])
    expect(await store.machine('a')).toMatchObject({ version: 1, data: { tries: 4 } })
    expect(await store.jobs()).toHaveLength(1)
  })

  test('a transaction that was lost says what it finds when it begins again', async () => {
    const first = await store.transact((tx) => tx.insertMachine({ ...bare, id: 'a' }))
    losses = 1
    let tries = 0
    const writing = store.transact(async (tx) => {
      tries += 1
      if (tries === 2) throw new Error('refused')
      await tx.edit(first, { tries })
    })
    await expect(writing).rejects.toThrow('refused')
    expect(await store.machine('a')).toMatchObject({ version: 1, data: { tries: 0 } })
    await store.transact((tx) => tx.edit(first, { tries: 9 }))
    expect(await store.machine('a')).toMatchObject({ version: 2, data: { tries: 9 } })
  })
}
