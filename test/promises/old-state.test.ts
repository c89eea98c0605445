import { afterEach, expect, test } from 'vitest'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { machineIn } from '../scenarios/world/interrupt.ts'
import { expectToEnd, leftByOlder } from './old-state-world.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

test('a task that an older Drydock has left in VERIFYING can be looked at, and is brought to its end', async () => {
  fixture = await leftByOlder(machineIn('story', 'VERIFYING'))
  await expectToEnd(fixture)
})

test('a task that an older Drydock has left can be cancelled', async () => {
  fixture = await leftByOlder(machineIn('story', 'CODING'))
  const done = await fixture.drydock('cancel', '--json')
  expect(done.exitCode, done.stderr).toBe(5)
  expect((await fixture.drydock('report')).exitCode).toBe(0)
})
