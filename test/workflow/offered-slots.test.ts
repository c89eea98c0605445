import { expect, onTestFinished, test } from 'vitest'
import type { Slot } from '../../src/domain/slot/slot.ts'
import { read } from '../scenarios/world/stored-crew.ts'
import { createFixture } from '../world/fixture.ts'

test('a worker offers the slots of its host as machines, withdraws what it has no longer, and offers it again', async () => {
  const fixture = await createFixture()
  onTestFinished(() => fixture.remove())
  const offered = async (coders: number) => {
    const owner = await (await fixture.open()).own({ coders, onFailure: () => {} })
    await owner?.stop({ drain: true })
    const slots = (await read(fixture, (records) => records.machines({ kind: 'slot' }))) as readonly Slot[]
    return slots.map(({ state, data }) => `${data.name} ${data.host} ${state}`)
  }
  expect(await offered(2)).toEqual(['coder-001 local OFFERED', 'coder-002 local OFFERED'])
  expect(await offered(1)).toEqual(['coder-001 local OFFERED', 'coder-002 local WITHDRAWN'])
  expect(await offered(3)).toEqual(['coder-001 local OFFERED', 'coder-002 local OFFERED', 'coder-003 local OFFERED'])
})
