import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { alwaysGreen, greenStory, specLanes } from './world/crew.ts'
import { crewOf, storedSpec, stuckTurn } from './world/crew-conversation.ts'
import { createFixture } from './world/fixture.ts'

test('a crew that is paused by hand comes to rest at the next start when its process ended after the last step and before that', async () => {
  const fixture = await createFixture({ steps: [alwaysGreen] })
  onTestFinished(() => fixture.remove())
  const run = await storedSpec(fixture, { ...specLanes('one'), ...greenStory('one'), 'architect/SCOPING': [stuckTurn] })
  await fixture.drydock('resume', '--no-wait', '--json')
  const database = new DatabaseSync(join((await fixture.open()).state, 'drydock.db'))
  database.prepare(`update machines set data = json_set(data, '$.held', json('[]')) where id = ?`).run(run)
  database.close()
  await fixture.drydock('verify', '--json')
  const { state, data } = await crewOf(fixture, run).machine()
  expect({ state, rest: data.rest, stoppedIn: data.stoppedIn }).toEqual({
    ...{ state: 'PAUSED', rest: { because: 'user', since: null, machines: [] }, stoppedIn: 'ESCALATED' },
  })
})
