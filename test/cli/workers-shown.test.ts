import { expect, test } from 'vitest'
import { readWorkers } from '../../src/app/views/hub/workers.ts'
import type { WorkerSign } from '../../src/ports/hub/worker-sign.ts'

const at = (minute: number) => `2031-01-01T10:${String(minute).padStart(2, '0')}:00.000Z`

function sign(host: string, from: number, more: Partial<WorkerSign> = {}): WorkerSign {
  return {
    id: host,
    host,
    silentMs: 0,
    isGivenUp: false,
    hasLeft: false,
    isDraining: false,
    version: '1',
    protocol: 1,
    since: at(from),
    seenAt: at(from + 5),
    ...more,
  }
}
const lost = (host: string, from: number) => sign(host, from, { isGivenUp: true, silentMs: 600_000 })

async function shown(signs: readonly WorkerSign[], slots: readonly { name: string; host: string }[] = []) {
  const offered = slots.map((data) => ({ id: `slot/${data.name}`, kind: 'slot', state: 'OFFERED', data }))
  const records = { machines: async ({ kind }: { kind: string }) => (kind === 'slot' ? offered : []) }
  const { workers } = await readWorkers({ records: records as never, workersNow: async () => signs })
  return workers.map(({ name, state }) => `${name} ${state}`)
}

test('a lost worker is shown no more when one of its token and name has begun since with another disk', async () => {
  const dead = ['11111111', '22222222', '33333333'].map((id, i) => lost(`big/big-${id}`, 10 * i))
  expect(await shown([...dead, sign('big/big-44444444', 40)])).toEqual(['big-44444444 working'])
})

test('a lost worker is shown when nobody has replaced it', async () => {
  const gone = lost('big/big-11111111', 10)
  expect(await shown([gone])).toEqual(['big-11111111 lost'])
  // A worker of the same name on another machine was there before the lost one.
  expect(await shown([gone, sign('big/big-22222222', 12)])).toEqual(['big-11111111 lost', 'big-22222222 working'])
  expect(await shown([gone, sign('big/other-22222222', 40)])).toEqual(['big-11111111 lost', 'other-22222222 working'])
  expect(await shown([gone, sign('small/big-22222222', 40)])).toHaveLength(2)
  // The newer worker is gone, too.
  expect(await shown([gone, lost('big/big-22222222', 40)])).toHaveLength(2)
})

test('a lost worker that still holds slots is shown', async () => {
  const signs = [lost('big/big-11111111', 10), sign('big/big-22222222', 40)]
  expect(await shown(signs, [{ name: 'big-001', host: 'big/big-11111111' }])).toHaveLength(2)
})
