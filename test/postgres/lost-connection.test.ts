import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import { limits } from '../../src/domain/limits.ts'
import { createCuttingProxy } from './cutting-proxy.ts'
import { createDatabase, sharedServer } from './server.ts'

test('a commit whose answer is lost with the connection is neither lost nor done twice', async () => {
  const [server, database] = [await sharedServer(), await createDatabase()]
  onTestFinished(() => database.drop())
  const proxy = await createCuttingProxy(server.port)
  const place = {
    url: `postgres://app@127.0.0.1:${proxy.port}/${database.name}`,
    shown: 'the proxy',
    schema: 'drydock_cut',
  }
  const store = await createPostgresStore({ ...place, id: 'cut', clock: createSystemClock(), role: 'owner' })
  let tries = 0
  const write = () =>
    store.transact(async (tx) => {
      tries += 1
      await tx.appendEvent({ run: 'r', story: null, type: 'resumed', data: { lane: `${tries}` } })
      return tries
    })
  proxy.cutNextCommit = true
  expect([await write(), await write()]).toEqual([1, 2])
  expect(proxy.cutNextCommit).toBe(false)
  const events = await store.events({ after: 0, limit: 10 })
  expect(events.map(({ data }) => data)).toEqual([{ lane: '1' }, { lane: '2' }])
  await store.close()
  proxy.close()
})

/** An administrator's action on the session that waits for another one's row. */

test('a worker whose clock is an hour off goes by that of the server', async () => {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const place = { url: database.url, shown: 'the server', schema: 'drydock_timed', id: 'timed' }
  const clock = createSystemClock()
  clock.agree?.(new Date(Date.now() + 3_600_000))
  const store = await createPostgresStore({ ...place, clock, role: 'worker' })
  await store.join({
    host: 'ahead',
    keepsState: false,
    signs: limits.workers,
    onSign: () => {},
    onCommit: () => {},
  })
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(60_000)
  await store.close()
})
