import { afterEach, expect, test } from 'vitest'
import { approve, createCrewFixture, specLanes, storyPlan, submit } from '../world/crew.ts'
import { call, type Fixture, resultOf } from '../world/fixture.ts'
import { startWireCrew, type WireCrew } from '../world/wire-crew.ts'

let fixture: Fixture
let wire: WireCrew
afterEach(async () => {
  await wire.close()
  await fixture.remove()
})

test('a change of 6,000 files makes no request long: it names 100 of them, and says how many more there are', async () => {
  fixture = await createCrewFixture()
  wire = await startWireCrew(fixture, {
    ...specLanes('one'),
    'editor/one/PLANNING': [storyPlan('one')],
    'architect/REQUEST/plan/one/1': [approve()],
    'editor/one/CODING': [
      call('run_command', {
        command: 'mkdir many && cd many && seq -f "a-file-with-a-name-%05g.test.js" 6000 | xargs touch',
      }),
      submit('one'),
    ],
    'architect/REQUEST/code/one/1': [approve({ accepted: [] })],
  })
  const done = await fixture.drydock('run', 'Make the files', '--model', wire.model, '--json', '--no-wait')
  const review = wire.heard.find(({ lane }) => lane === 'architect/REQUEST/code/one/1')?.raw ?? ''
  expect(review, done.stdout + done.stderr).toContain('and 5,900 more')
  expect(Math.max(...wire.heard.map(({ raw }) => Buffer.byteLength(raw)))).toBeLessThan(150_000)
  const [story] = resultOf(done).stories as readonly { outside_plan: unknown[]; outside_plan_count: number }[]
  expect([story?.outside_plan.length, story?.outside_plan_count]).toEqual([100, 6_000])
  expect(JSON.stringify(resultOf(done)).length).toBeLessThan(150_000)
})
