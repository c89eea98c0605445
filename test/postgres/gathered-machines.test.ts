import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { connectionConfig } from '../../src/adapters/store/postgres/connection-config.ts'
import { gatheredMachines } from '../../src/adapters/store/postgres/gathered-machines.ts'
import { createPostgresKysely } from '../../src/adapters/store/postgres/postgres-kysely.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import { createSession } from '../../src/adapters/store/postgres/session.ts'
import { createDatabase } from './server.ts'

/** Two writers of a state, and a reader on its own connection whose statements are counted. */
async function world() {
  const { url, drop } = await createDatabase()
  const place = { url, schema: 'drydock', shown: 'test', id: 'test', clock: createSystemClock() }
  const [own, other] = [await createPostgresStore(place), await createPostgresStore(place)]
  const session = createSession({
    config: connectionConfig(place),
    onConnect: async () => {},
  })
  await session.connected()
  onTestFinished(async () => {
    await Promise.all([own.close(), other.close(), session.close()])
    drop()
  })
  let statements = 0
  const reads = gatheredMachines(
    createPostgresKysely((text, values) => {
      statements += 1
      return session.ask(text, values)
    }, String),
  )
  const data = {}
  await own.transact(async (tx) => {
    await tx.insertMachine({ id: 'r', kind: 'run', run: 'r', story: null, state: 'MONITORING', data })
    await tx.insertMachine({ id: 'r/s', kind: 'story', run: 'r', story: 's', state: 'CODING', data })
    await tx.insertMachine({ id: 'r/lane', kind: 'lane', run: 'r', story: 's', state: 'ASKING', data })
  })
  const edit = (by: typeof own, id: string) =>
    by.transact(async (tx) => {
      const machine = await tx.machine(id)
      if (machine !== null) await tx.edit(machine, {})
    })
  return { own, other, reads, edit, statements: () => statements }
}

test('a lane, its story and its run are asked of the server once, however often they are read without a wait', async () => {
  const { reads, statements } = await world()
  // The owner of a lane is known from its first read.
  await reads.machine('r/lane')
  await nextRound()
  const before = statements()
  for (let round = 0; round < 3; round += 1) {
    expect(await reads.machineOf('lane', 'r/lane')).toMatchObject({ id: 'r/lane', state: 'ASKING' })
    expect(await reads.machineOf('story', 'r/s')).toMatchObject({ id: 'r/s' })
    expect(await reads.machineOf('story', 'r')).toBeNull()
    expect(await reads.machine('r')).toMatchObject({ id: 'r' })
  }
  expect(statements() - before).toBe(1)
  const ids = ['r', 'r/s', 'r/lane', 'nothing', 'r']
  const all = await Promise.all(ids.map((id) => reads.machine(id)))
  expect(all.map((machine) => machine?.id)).toEqual(['r', 'r/s', 'r/lane', undefined, 'r'])
  expect(statements() - before).toBe(2)
})

test('a read after a commit sees it, whichever process has committed', async () => {
  const { own, other, reads, edit } = await world()
  for (const [by, version] of [
    [own, 2],
    [other, 3],
    [own, 4],
  ] as const) {
    const [lane, run] = [await reads.machine('r/lane'), await reads.machine('r')]
    expect([lane?.version, run?.version]).toEqual([version - 1, version - 1])
    await Promise.all([edit(by, 'r/lane'), edit(by, 'r')])
    expect((await reads.machine('r/lane'))?.version).toBe(version)
    expect((await reads.machine('r'))?.version).toBe(version)
  }
})

test('read data are forgotten as soon as a notification could have arrived', async () => {
  const { reads, statements } = await world()
  await reads.machine('r')
  const before = statements()
  await nextRound()
  await reads.machine('r')
  expect(statements() - before).toBe(1)
})
