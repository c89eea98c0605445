import { expect, test } from 'vitest'
import { alwaysGreen, build, greenStory, specLanes } from './scenarios/world/crew.ts'
import { change, greenLanes, plan, resultOf, write } from './scenarios/world/fixture.ts'
import { createMemoryFixture } from './world/fixture.ts'

test('a task in memory', async () => {
  const fixture = await createMemoryFixture()
  const model = await fixture.replay(greenLanes)
  const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
  expect(done.exitCode, done.stderr + done.stdout).toBe(0)
  expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
})

test('a task that fails once', async () => {
  const fixture = await createMemoryFixture()
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [change('Nothing'), write('new\n'), change()],
  })
  const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
  expect(done.exitCode, done.stderr + done.stdout).toBe(0)
  expect(done.events.filter(({ type }) => type === 'verification').map(({ status }) => status)).toEqual([
    'FAIL',
    'PASS',
  ])
})

test('a crew of two', async () => {
  const fixture = await createMemoryFixture({ steps: [alwaysGreen] })
  const done = await build(fixture, { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') })
  expect(done.exitCode, done.stderr + done.stdout).toBe(0)
  expect(await fixture.git('rev-list', '--count', 'main..drydock/make-the-files')).toBe('2')
})
