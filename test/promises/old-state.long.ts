import { test } from 'vitest'
import { machineIn } from '../scenarios/world/interrupt.ts'
import { expectToEnd, leftByOlder } from './old-state-world.ts'

test('a task that an older Drydock has left in CODING can be looked at, and is brought to its end', async () => {
  const fixture = await leftByOlder(machineIn('story', 'CODING'))
  await expectToEnd(fixture)
  await fixture.remove()
})
