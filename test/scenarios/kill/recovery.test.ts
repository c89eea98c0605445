import { afterEach, describe, expect, test } from 'vitest'
import { follow } from '../../../src/app/wait/follow.ts'
import { createFixture, createMemoryFixture, type Fixture } from '../../world/fixture.ts'
import { atCommit, dies } from '../../world/kills.ts'
import { call, change, greenLanes, plan, resultOf, write } from '../world/fixture.ts'
import { machineIn } from '../world/interrupt.ts'
import { storeStory, storyFiles } from './kill.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

describe('a run is never lost', () => {
  test('when it is cancelled after its story has ended and before it was handed over', async () => {
    const story = await storeStory(await createMemoryFixture({ files: storyFiles }))
    fixture = story.fixture
    const drydock = await fixture.open()
    expect(await dies(story, { moment: 'after', when: machineIn('story', 'DONE') })).toBe(true)
    const records = drydock.openRecords()
    expect((await records.machine(`${story.run}/task`))?.state).toBe('DONE')
    expect((await records.machine(story.run))?.state).not.toBe('DONE')
    await records.close()
    const done = await fixture.drydock('cancel', '--json')
    expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
  })

  test('when its process ended before anyone took it up', async () => {
    const story = await storeStory(await createMemoryFixture({ files: storyFiles }))
    fixture = story.fixture
    const done = await fixture.drydock('resume', '--json')
    expect(done.exitCode, done.stderr).toBe(0)
    expect(resultOf(done)).toMatchObject({ run: story.run, status: 'DONE' })
  })

  test('when it was cancelled while it waited: a retry starts it', async () => {
    fixture = await createFixture()
    const drydock = await fixture.open()
    const model = await fixture.replay(greenLanes)
    const task = { text: 'say new', constraints: [], non_goals: [], files: [] }
    const request = { kind: 'task', task, dryRun: false, apply: false } as const
    const models = { architect: null, editor: model, scout: model }
    await drydock.submit('start', { kind: 'start', run: 'waiting', request, target: null, configFile: null, models })
    await drydock.submit('cancel', { kind: 'cancel', run: 'waiting' })
    expect((await fixture.drydock('resume', '--json')).exitCode).toBe(5)
    const done = await fixture.drydock('retry', 'waiting', '--json')
    expect(resultOf(done)).toMatchObject({ run: 'waiting', status: 'DONE' })
  })

  test('by a command that changes nothing, which says the result that there is', async () => {
    fixture = await createFixture()
    const model = await fixture.replay(greenLanes)
    const first = await fixture.drydock('task', 'say new', '--json', '--model', model)
    const run = resultOf(first).run as string
    const drydock = await fixture.open()
    await drydock.submit('late', { kind: 'cancel', run })
    const { results } = await follow(drydock, {
      runs: [run],
      after: 1_000_000,
      command: 'late',
      coders: 1,
      own: true,
      noWait: false,
      humanDelayMs: 0,
      onEvent: () => {},
      onNote: () => {},
      stop: new AbortController().signal,
    })
    expect(results.get(run)).toMatchObject({ status: 'DONE' })
  })

  test('by a command that cannot be applied, which stands in nobody’s way', async () => {
    fixture = await createFixture()
    const drydock = await fixture.open()
    await drydock.submit('odd', { kind: 'cancel', run: 'nobody-knows-it' })
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
  })
})

describe('a model’s request cannot stop a run', () => {
  test.each([
    ['a path outside', call('get_diff', { path: '../x' })],
    ['an absolute path', call('get_diff', { path: '/etc/passwd' })],
    ['a NUL in a path', call('get_diff', { path: 'a\0b' })],
    ['a NUL in a summary', change('Say\0new')],
  ])('%s', async (_what, asked) => {
    fixture = await createFixture()
    const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [write('new\n'), asked, change()] }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
    const refused = done.events.filter(({ type, ok }) => type === 'tool' && ok === false)
    expect(refused).toHaveLength(1)
  })

  test('a conversation that no longer fits is stuck, and a retry opens a fresh one', async () => {
    fixture = await createFixture()
    const overflow = { error: { kind: 'context_overflow', message: 'too long', retryable: false } }
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [write('new\n'), overflow, overflow],
      'editor/task@2/PLANNING': [plan()],
      'editor/task@2/CODING': [change()],
    })
    const stuck = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(stuck.exitCode).toBe(3)
    const cause = 'the model refused its conversation after 1 of 400 turns: too long'
    expect((await fixture.drydock('report')).stdout).toContain(cause)
    expect((await fixture.drydock('status', `${resultOf(stuck).run}`)).stdout).toContain(`stopped: ${cause}`)
    expect(resultOf(await fixture.drydock('retry', '--json'))).toMatchObject({ status: 'DONE' })
  })

  test('a wait of a day pauses the run, which can be cancelled meanwhile', async () => {
    fixture = await createFixture()
    const later = { error: { kind: 'rate_limited', message: 'come back', retryable: true, retryAfterMs: 86_400_000 } }
    const model = await fixture.replay({ 'editor/task/PLANNING': [later] })
    const running = fixture.launch(['task', 'say new', '--json', '--model', model])
    const suspended = JSON.parse(await running.line(/"type":"suspended"/))
    expect(suspended).toMatchObject({ lane: 'editor/task/PLANNING', reason: 'come back' })
    expect(Date.parse(suspended.until) - Date.now()).toBeGreaterThan(86_000_000)
    expect((await fixture.drydock('cancel')).exitCode).toBe(5)
    expect(await running.ended).toMatchObject({ exitCode: 5 })
  })

  test('a key that it writes into a file is refused instead of being replaced', async () => {
    fixture = await createFixture({ env: { OPENAI_API_KEY: 'sk-test-0123456789abcdef' } })
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [write('new sk-test-0123456789abcdef\n'), write('new\n'), change()],
    })
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
    expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
    expect(done.events.filter(({ type, ok }) => type === 'tool' && ok === false)).toHaveLength(1)
  })
})

describe('the name of the branch', () => {
  test('that is taken during the work gives way to the next', async () => {
    const story = await storeStory(await createMemoryFixture({ files: storyFiles }))
    fixture = story.fixture
    expect(await dies(story, atCommit('after', 11))).toBe(true)
    await fixture.git('branch', 'drydock/say-new')
    expect(resultOf(await fixture.drydock('resume', '--json'))).toMatchObject({
      status: 'DONE',
      branch: 'drydock/say-new-2',
    })
  })

  test('is impossible beside a branch named drydock, which is said before any work', async () => {
    fixture = await createFixture()
    await fixture.git('branch', 'drydock')
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
    expect(done.exitCode).toBe(2)
    expect(resultOf(done)).toMatchObject({ error: { code: 'branch_in_the_way' } })
    expect(done.events.filter(({ type }) => type === 'model_call')).toEqual([])
    await fixture.git('branch', '-m', 'drydock', 'other')
    expect(resultOf(await fixture.drydock('resume', '--json'))).toMatchObject({ status: 'DONE' })
  })
})
