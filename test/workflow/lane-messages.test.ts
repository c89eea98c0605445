import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import type { Message } from '../../src/domain/lane/message.ts'
import { limits } from '../../src/domain/limits.ts'
import type { Store } from '../../src/ports/store.ts'
import { createLaneMessages } from '../../src/workflow/lane/lane-messages.ts'

let folder: string
let store: Store
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-messages-'))
  store = await createSqliteStore({ file: join(folder, 'drydock.db'), clock: createSystemClock() })
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

const say = (lane: string, ...texts: readonly string[]) =>
  store.transact((tx) =>
    tx.appendMessages(
      lane,
      texts.map((text): Message => ({ role: 'user', text })),
    ),
  )

test('a conversation grows by what is new, and its earlier messages stay the same objects', async () => {
  const messages = createLaneMessages(store, { isSole: true })
  await say('lane', 'one', 'two')
  const before = await messages.of('lane')
  await say('other', 'elsewhere')
  await say('lane', 'three')
  const after = await messages.of('lane')
  expect(after).toEqual(await store.messages('lane'))
  expect(after.slice(0, 2).every((message, i) => message === before[i])).toBe(true)
  expect(await messages.of('lane')).toEqual(after)
})

test('messages that were added while being stored are not read again, and are in order', async () => {
  const messages = createLaneMessages(store, { isSole: true })
  await say('lane', 'one')
  await messages.of('lane')
  const two: Message = { role: 'user', text: 'two' }
  await store.transact((tx) => tx.appendMessages('lane', [two]))
  messages.add('lane', [two])
  await say('lane', 'three')
  const all = await messages.of('lane')
  expect(all).toEqual(await store.messages('lane'))
  expect(all[1]).toBe(two)
})

test('a conversation that was forgotten for others is read again as a whole', async () => {
  const messages = createLaneMessages(store, { isSole: true })
  await say('lane', 'one', 'two')
  const [before] = await messages.of('lane')
  for (let i = 0; i < limits.lanesInMemory; i += 1) await messages.of(`other ${i}`)
  const after = await messages.of('lane')
  expect(after).toEqual(await store.messages('lane'))
  expect(after[0]).not.toBe(before)
})
