import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Story } from '../../../src/domain/story/story.ts'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { conversationOf } from '../world/conversation.ts'
import { greenStory, planned, reject, reply, specLanes, stories, storyPlan } from '../world/crew.ts'
import { escalations, firstMove, play, replyAndResume, statesOf, withRecords, writePlan } from '../world/crew-script.ts'
import { call, resultOf } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const branch = 'drydock/make-the-files'
const filesOn = async (ref: string) => (await fixture.git('ls-tree', '--name-only', ref)).split('\n')

/** Every mistake that a set of stories can have, spread over two sets. */
const unbuildable = [
  stories(
    { id: 'one', depends_on: ['none'] },
    { id: 'two', depends_on: ['three'] },
    { id: 'three', depends_on: ['two'] },
  ),
  call('submit_stories', {
    stories: [planned({ id: 'one', acceptance_criteria: [' '] }), planned({ id: 'one' })],
  }),
]

test('stories that cannot be built are refused with every reason, and after three sets a human is asked', async () => {
  fixture = await createCrewFixture()
  const built = await play(fixture, {
    lanes: {
      'architect/SCOPING': [reply('A small repository.')],
      'architect/STORY_GENERATION': [...unbuildable, stories(), stories('one')],
      ...greenStory('one'),
    },
    human: ['One story is enough.'],
  })
  expect(built.exitCode).toBe(0)
  expect(escalations(built)).toEqual([
    expect.objectContaining({ story: null, question: expect.stringContaining('3 sets of stories') }),
  ])
  const crew = conversationOf(fixture, built)
  const [first, second, third] = await crew.results('architect/STORY_GENERATION')
  expect(first).toMatchObject({ ok: false })
  expect(first?.output).toContain('story "one" depends on "none", which is not a story')
  expect(first?.output).toContain('these stories wait for each other: two, three')
  expect(second?.output).toContain('two stories have the id "one"')
  expect(second?.output).toContain('two stories have the title "make one"')
  expect(second?.output).toContain('story "one" has no acceptance criterion')
  expect(third?.output).toContain('there are no stories')
  const guidance = (await crew.messages('architect/STORY_GENERATION')).find(
    (message) => message.role === 'user' && message.text.includes('One story is enough.'),
  )
  expect(guidance).toBeDefined()
})

test('with --review-stories a human approves the stories before any of them exists', async () => {
  fixture = await createCrewFixture()
  const lanes = { ...specLanes('one', { id: 'two', depends_on: ['one'] }), ...greenStory('one'), ...greenStory('two') }
  const waiting = await play(fixture, { lanes }, '--review-stories')
  expect(waiting.exitCode).toBe(6)
  expect(escalations(waiting)).toHaveLength(1)
  const { run } = conversationOf(fixture, waiting)
  for (const shown of [await fixture.drydock('chat'), await fixture.drydock('report')])
    for (const part of ['two: Make two', 'Write two.txt.', '- two.txt is there', 'after one'])
      expect(shown.stdout).toContain(part)
  expect(await withRecords(fixture, (records) => records.machines({ kind: 'story', run }))).toEqual([])
  expect(await withRecords(fixture, (records) => records.isIdle(run))).toBe(true)
  const built = await replyAndResume(fixture, waiting, 'approve')
  expect([built.exitCode, statesOf(built)]).toEqual([0, { one: 'DONE', two: 'DONE' }])
})

test('a human’s wish for changes goes to the architect, whose next stories are shown again', async () => {
  fixture = await createCrewFixture()
  const built = await play(
    fixture,
    {
      lanes: {
        ...specLanes('one', 'two'),
        'architect/STORY_GENERATION': [stories('one', 'two'), stories('two')],
        ...greenStory('two'),
      },
      human: ['Leave one out.', 'Approved, go on'],
    },
    '--review-stories',
  )
  expect([built.exitCode, statesOf(built)]).toEqual([0, { two: 'DONE' }])
  const [answer] = await conversationOf(fixture, built).results('architect/STORY_GENERATION')
  expect(answer?.output).toContain('Leave one out.')
})

test('stories that a human stops are never built', async () => {
  fixture = await createCrewFixture()
  const stopped = await play(fixture, { lanes: specLanes('one'), human: ['stop'] }, '--review-stories')
  expect(stopped.exitCode).toBe(5)
  expect(resultOf(stopped)).toMatchObject({ status: 'CANCELLED', branch: null, stories: [] })
  expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')
})

test('a human who brings the stories is told that nobody changes them, and approves them then', async () => {
  fixture = await createCrewFixture()
  const plan = await writePlan(fixture, { id: 'one' })
  const script = { lanes: greenStory('one'), human: ['Make it two', 'yes'] }
  const built = await play(fixture, script, '--review-stories', '--plan', plan)
  expect(escalations(built)[1]?.question).toContain('your own file')
  expect([built.exitCode, statesOf(built)]).toEqual([0, { one: 'DONE' }])
})

test('a plan ends with the stories and makes no branch; an edited one is built without the architect splitting the spec', async () => {
  fixture = await createCrewFixture()
  const file = join(fixture.folder, 'stories.json')
  const model = await fixture.replay({ ...specLanes('one', 'two'), ...greenStory('two') })
  const spec = ['Make the files', '--model', model, '--json'] as const
  const listed = await fixture.drydock('plan', ...spec, '--output', file)
  expect([listed.exitCode, resultOf(listed)]).toMatchObject([0, { status: 'DONE', branch: null }])
  const written = JSON.parse(await readFile(file, 'utf8'))
  expect(written.stories.map(({ id }: { id: string }) => id)).toEqual(['one', 'two'])
  expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')

  const built = await fixture.drydock('run', ...spec, '--plan', await writePlan(fixture, { id: 'two' }))
  expect([built.exitCode, statesOf(built)]).toEqual([0, { two: 'DONE' }])
  const lanes = await conversationOf(fixture, built).lanes()
  expect(lanes.filter((lane) => /SCOPING|GENERATION/.test(lane))).toEqual([])
})

test('a dependent starts when all its dependencies are merged, on a tip that has their work', async () => {
  fixture = await createCrewFixture()
  const last = greenStory('last')
  const built = await play(fixture, {
    lanes: {
      ...specLanes({ id: 'last', depends_on: ['left', 'right'] }, 'left', 'right'),
      ...greenStory('left'),
      ...greenStory('right'),
      ...last,
      'editor/last/PLANNING': [call('list_files', { pattern: '*.txt' }), storyPlan('last')],
    },
  })
  expect(statesOf(built)).toEqual({ last: 'DONE', left: 'DONE', right: 'DONE' })
  const started = firstMove(built, 'last', 'SETUP')
  expect(started).toBeGreaterThan(Math.max(firstMove(built, 'left', 'DONE'), firstMove(built, 'right', 'DONE')))
  const crew = conversationOf(fixture, built)
  const [seen] = await crew.results('editor/last/PLANNING')
  expect(seen?.output).toContain('left.txt')
  expect(seen?.output).toContain('right.txt')
  const story = (await withRecords(fixture, (records) => records.machine(`${crew.run}/last`))) as Story
  expect(story.data.base).toBe(await fixture.git('rev-parse', `${branch}~1`))
})

/** `low` is rejected; `middle` and `top` depend on it, `aside` does not. */
const failing = {
  ...specLanes('low', { id: 'middle', depends_on: ['low'] }, { id: 'top', depends_on: ['middle'] }, 'aside'),
  ...greenStory('low'),
  ...greenStory('middle'),
  ...greenStory('top'),
  ...greenStory('aside'),
  'architect/REQUEST/plan/low/1': [reject('It needs another table.')],
}

async function failedStory() {
  const failed = await play(fixture, { lanes: { ...failing, ...again } })
  expect(failed.exitCode).toBe(6)
  expect(escalations(failed)).toEqual([expect.objectContaining({ story: 'low' })])
  const { run } = conversationOf(fixture, failed)
  const machines = await withRecords(fixture, (records) => records.machines({ kind: 'story', run }))
  const states = Object.fromEntries(machines.map(({ story, state }) => [story, state]))
  expect(states).toEqual({ low: 'REJECTED', middle: 'BLOCKED', top: 'BLOCKED', aside: 'DONE' })
  return failed
}

const again = Object.fromEntries(
  Object.entries(greenStory('low')).map(([lane, turns]) => [lane.replace('/low', '/low@2'), turns]),
)

test('a failed story blocks only its dependents, and a retry restarts it with the guidance', async () => {
  fixture = await createCrewFixture()
  const failed = await failedStory()
  const built = await replyAndResume(fixture, failed, 'Retry: use the second table')
  expect([built.exitCode, statesOf(built)]).toEqual([0, { low: 'DONE', middle: 'DONE', top: 'DONE', aside: 'DONE' }])
  const crew = conversationOf(fixture, built)
  const prompt = await crew.prompt('editor/low@2/PLANNING')
  expect(prompt).toContain('use the second table')
  expect(prompt).toContain('It needs another table.')
  const story = (await withRecords(fixture, (records) => records.machine(`${crew.run}/low`))) as Story
  expect(story.data).toMatchObject({
    retries: 1,
    failures: { consecutive: 0, loops: 0 },
    requests: { plan: 1, code: 1, question: 0, budget: 0, completion: 0 },
  })
  expect(await filesOn(branch)).toEqual(expect.arrayContaining(['low.txt', 'middle.txt', 'top.txt', 'aside.txt']))
})

test('a failed story that is skipped takes its dependents with it, and the Run is done with exit code 3', async () => {
  fixture = await createCrewFixture()
  const skipped = await replyAndResume(fixture, await failedStory(), 'skip')
  expect(skipped.exitCode).toBe(3)
  expect(resultOf(skipped)).toMatchObject({ status: 'DONE', branch })
  expect(statesOf(skipped)).toEqual({ low: 'CANCELLED', middle: 'CANCELLED', top: 'CANCELLED', aside: 'DONE' })
})

test('a failed story can stop the whole Run, which keeps what was merged', async () => {
  fixture = await createCrewFixture()
  const stopped = await replyAndResume(fixture, await failedStory(), 'stop it all')
  expect(stopped.exitCode).toBe(5)
  expect(resultOf(stopped)).toMatchObject({ status: 'CANCELLED', branch })
  expect(await filesOn(branch)).toContain('aside.txt')
})

test('a reply that says neither retry, skip nor stop is asked about again, and the old question is closed', async () => {
  fixture = await createCrewFixture()
  const failed = await failedStory()
  const unclear = await replyAndResume(fixture, failed, 'Hm, what would you do?')
  expect(unclear.exitCode).toBe(6)
  expect(escalations(unclear)).toEqual([
    expect.objectContaining({ story: 'low', question: expect.stringContaining('`retry`, `skip` or `stop`') }),
  ])
  const old = escalations(failed)[0]?.id ?? ''
  expect(await fixture.drydock('reply', old, 'skip')).toMatchObject({ exitCode: 2 })
  expect((await replyAndResume(fixture, unclear, 'skip')).exitCode).toBe(3)
})
