import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSharedEngine } from '../../src/adapters/engine/shared-engine.ts'
import type { Machine } from '../../src/domain/machine.ts'
import type { SharedJobStore } from '../../src/ports/jobs.ts'
import { sharedStore } from '../contracts/engines.ts'

const signs = { beatMs: 60_000, silentMs: 600_000, hostMs: 600_000, lostMs: 0 }

/** A worker that only listens, and returns its notifications in order. */
async function listener(store: SharedJobStore, host: string) {
  const heard: boolean[] = []
  let wake = () => {}
  const onCommit = (concerns: boolean) => {
    heard.push(concerns)
    wake()
  }
  await store.join({ host, keepsState: false, signs, onSign: () => {}, onCommit })
  return {
    async next(): Promise<boolean> {
      while (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      return heard.shift() as boolean
    },
  }
}

test('a commit concerns the workers of the host whose step it queues, all for what lies nowhere, and the hub alone for the state', async () => {
  const location = await sharedStore.createLocation()
  const [here, there] = [await sharedStore.open(location), await sharedStore.open(location)]
  const engine = createSharedEngine({
    store: here,
    clock: createSystemClock(),
    host: 'here',
    signs,
    onFailure: () => {},
  })
  onTestFinished(async () => {
    await engine.stop()
    await Promise.all([here.close(), there.close()])
    await sharedStore.remove(location)
  })
  const ears = await listener(there, 'there')
  const queue = (machine: Omit<Machine, 'version'>) =>
    engine.transact(async (tx) => tx.queue(await tx.insertMachine(machine)))
  await engine.transact(async (tx) => {
    for (const host of ['here', 'there']) {
      const data = { name: `coder-${host}`, host }
      const slot = { id: `slot/coder-${host}`, kind: 'slot', run: '', story: null, state: 'OFFERED', data } as const
      await tx.insertMachine(slot)
      // JSON on a server rejects this character, but a model may write it.
      const held = { slot: `coder-${host}`, text: '\u0000"slot":"coder-nowhere"' }
      await tx.insertMachine({ id: `run/${host}`, kind: 'story', run: 'run', story: host, state: 'CODING', data: held })
    }
  })
  expect(await ears.next()).toBe(false)
  const lane = { kind: 'lane', run: 'run', state: 'ASKING', data: {} } as const
  await queue({ ...lane, id: 'l1', story: 'here' })
  expect(await ears.next()).toBe(false)
  await queue({ ...lane, id: 'l2', story: 'there' })
  expect(await ears.next()).toBe(true)
  await queue({ ...lane, id: 'l3', story: 'nowhere' })
  expect(await ears.next()).toBe(true)
  await queue({ id: 'm', kind: 'merge', run: 'run', story: 'there', state: 'QUEUED', data: {} })
  expect(await ears.next()).toBe(false)
  await engine.transact(async (tx) => void (await tx.drop('run')))
  expect(await ears.next()).toBe(true)
})
