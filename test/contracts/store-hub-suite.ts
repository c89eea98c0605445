import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import type { StoreAdapter } from './stores.ts'

export function hubSuite(adapter: StoreAdapter): void {
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

  const add = (name: string, hash: string, expiresAt: string | null = null) =>
    store.transact((tx) => tx.insertHubToken({ name, role: 'viewer', hash, expiresAt }))
  const session = { hash: 's', pageHash: 'p', expiresAt: '2999-01-01T00:00:00.000Z' }

  test('are one for a name, are found by their hash, and tell when they were used', async () => {
    expect(await add('ada', 'h1', '2999-01-01T00:00:00.000Z')).toBe(true)
    expect(await add('ada', 'h2')).toBe(false)
    expect(await add('eve', 'h3')).toBe(true)
    const ada = {
      id: expect.any(Number),
      name: 'ada',
      role: 'viewer',
      hash: 'h1',
      subject: null,
      createdAt: expect.any(String),
    }
    const unused = { ...ada, expiresAt: '2999-01-01T00:00:00.000Z', lastUsedAt: null }
    expect(await store.hubToken('h1')).toEqual(unused)
    expect(await store.hubToken('h2')).toBeNull()
    await store.transact(async (tx) => tx.markHubTokenUsed((await tx.hubToken('h1'))?.id ?? 0))
    const tokens = await store.hubTokens()
    expect(tokens.map(({ name }) => name)).toEqual(['ada', 'eve'])
    expect(tokens[0]).toEqual({ ...unused, lastUsedAt: expect.stringMatching(/Z$/) })
  })

  test('take their sessions with them, also when the name is given again', async () => {
    await add('ada', 'h1')
    const token = (await store.hubToken('h1'))?.id ?? 0
    await store.transact((tx) => tx.insertHubSession({ ...session, token }))
    expect(await store.hubSession('s')).toMatchObject({ ...session, token, of: { name: 'ada', hash: 'h1' } })
    expect(await store.transact((tx) => tx.deleteHubToken('ada'))).toBe(true)
    expect(await store.transact((tx) => tx.deleteHubToken('ada'))).toBe(false)
    await add('ada', 'h2')
    expect((await store.hubToken('h2'))?.id).not.toBe(token)
    expect([await store.hubSession('s'), await store.hubToken('h1')]).toEqual([null, null])
  })

  test('have sessions that end one by one, and those that are over make room', async () => {
    await add('ada', 'h1')
    const token = (await store.hubToken('h1'))?.id ?? 0
    await store.transact((tx) => tx.insertHubSession({ ...session, token }))
    await store.transact((tx) =>
      tx.insertHubSession({ ...session, hash: 'old', token, expiresAt: '2000-01-01T00:00:00.000Z' }),
    )
    await store.transact((tx) => tx.insertHubSession({ ...session, hash: 'other', token }))
    expect(await store.hubSession('old')).toBeNull()
    await store.transact((tx) => tx.deleteHubSession('s'))
    expect([await store.hubSession('s'), (await store.hubSession('other'))?.hash]).toEqual([null, 'other'])
  })

  test('have people of a provider beside them, one for a subject and one for a name, until their time is over', async () => {
    const later = '2999-01-01T00:00:00.000Z'
    const put = (subject: string, name: string, more: object = {}) =>
      store.transact((tx) => tx.putHubPerson({ subject, name, role: 'viewer', expiresAt: later, ...more }))
    await add('ada', 'h1')
    const id = await put('u1', 'a@x')
    expect(await put('u2', 'a@x')).toBeNull()
    await store.transact((tx) => tx.insertHubSession({ ...session, token: id ?? 0 }))
    // A new role and name apply at once, and the expiry of the other session stays.
    expect(await put('u1', 'b@x', { role: 'admin', expiresAt: '2998-01-01T00:00:00.000Z' })).toBe(id)
    expect(await store.hubSession('s')).toMatchObject({ of: { name: 'b@x', role: 'admin', expiresAt: later } })
    expect(await put('u2', 'a@x')).not.toBeNull()
    await store.transact((tx) => tx.deleteHubPerson('u1'))
    await store.transact((tx) => tx.deleteHubPerson('u1'))
    expect(await store.hubSession('s')).toBeNull()
    expect((await store.hubTokens()).map(({ name, subject }) => `${name} ${subject}`)).toEqual(['ada null', 'a@x u2'])
    await put('u3', 'old@x', { expiresAt: '2000-01-01T00:00:00.000Z' })
    await put('u4', 'd@x')
    expect((await store.hubTokens()).map(({ name }) => name)).toEqual(['ada', 'a@x', 'd@x'])
  })
}
