import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { approve, build, greenStory, reply, specLanes, stories, storyPlan } from '../world/crew.ts'
import { type CrewConversation, crewOf } from '../world/crew-conversation.ts'
import { call, resultOf } from '../world/fixture.ts'

const own = { coder_id: '${coder_id}' }
const plan = 'architect/REQUEST/plan/one/1'
const garbage = 'architect/REQUEST/code/one/1'

/** Every way in which the architect could continue without an end, followed by the end. */
const lanes = {
  ...specLanes('one'),
  ...greenStory('one'),
  'architect/SCOPING': [
    call('list_files', { pattern: '*' }),
    { text: 'I have seen it all.' },
    call('read_file', { path: 'value.txt' }),
    reply('Small.'),
  ],
  'architect/STORY_GENERATION': [call('search_files', { pattern: 'old' }), reply('Here they are.'), stories('one')],
  'editor/one/PLANNING': [call('ask_architect', { question: 'Where?' }), storyPlan('one')],
  'architect/REQUEST/question/one/1': [call('list_files', { pattern: '*', ...own }), reply('In the root.')],
  [plan]: [
    { text: 'APPROVED. The plan is good, no changes are needed.' },
    {},
    {
      calls: [
        { tool: 'read_file', input: { path: 'absent.txt', ...own } },
        { tool: 'submit_reply', input: { response: 'Good.', verdict: 'APPROVED' } },
      ],
    },
    {
      calls: ['APPROVED', 'REJECTED'].map((verdict) => ({
        tool: 'submit_reply',
        input: { response: 'Good.', verdict },
      })),
    },
    approve(),
  ],
  [garbage]: [
    reply('Good.'),
    reply('Good.', { verdict: 'LGTM' }),
    call('submit_reply', { verdict: 'APPROVED' }),
    call('submit_reply', { response: 'Good.', verdict: 'APPROVED', findings: [{ severity: 'huge', claim: 7 }] }),
    call('submit_stories', { stories: [] }),
    approve(),
  ],
}

let fixture: Fixture
let crew: CrewConversation

beforeAll(async () => {
  fixture = await createCrewFixture()
  const built = await build(fixture, lanes)
  expect(resultOf(built), built.stdout + built.stderr).toMatchObject({ status: 'DONE' })
  crew = crewOf(fixture, built)
})
afterAll(() => fixture.remove())

describe('ArchitectIterationPattern', () => {
  test('in every state the architect is asked, reads and is asked again, until it calls the terminal tool', async () => {
    const architects = (await crew.lanes()).filter((lane) => lane.startsWith('architect/'))
    const turns = await Promise.all(architects.map(async (lane) => [lane, (await crew.lane(lane)).iterations]))
    expect(Object.fromEntries(turns)).toEqual({
      'architect/SCOPING': 4,
      'architect/STORY_GENERATION': 3,
      'architect/REQUEST/question/one/1': 2,
      [plan]: 5,
      [garbage]: 6,
    })
    for (const lane of ['architect/SCOPING', 'architect/REQUEST/question/one/1']) {
      const said = (await crew.messages(lane)).map((message) =>
        message.role === 'assistant' ? message.calls.map(({ tool }) => tool).join() || 'talk' : message.role,
      )
      expect(said[0]).toBe('user')
      expect(said.at(-1)).toBe('submit_reply')
      expect(said.slice(1, 3)).toEqual(['list_files', 'tool'])
    }
  })

  test('no model is asked while the Run is MONITORING, but by stories and their requests', async () => {
    const calls = (await crew.events('model_call')).map(({ data, story }) => ({ lane: data.lane, story }))
    expect(new Set(calls.map(({ lane }) => lane))).toEqual(new Set(Object.keys(lanes)))
    const own = calls.filter(({ story }) => story === null).map(({ lane }) => lane)
    expect(new Set(own)).toEqual(new Set(['architect/SCOPING', 'architect/STORY_GENERATION']))
  })

  test('words are not a verdict: a turn without a call is reminded of the terminal tool', async () => {
    for (const [lane, reminders] of [
      [plan, 2],
      ['architect/SCOPING', 1],
    ] as const) {
      const [, ...later] = await crew.messages(lane)
      const nudges = later.filter((message) => message.role === 'user')
      expect(nudges, lane).toHaveLength(reminders)
      for (const { text } of nudges) expect(text).toContain('submit_reply')
    }
  })

  test('a reply beside a call that fails is refused, and so are two that differ', async () => {
    const results = (await crew.results(plan)).map(({ tool, ok, output }) => ({ tool, ok, output }))
    expect(results).toEqual([
      { tool: 'read_file', ok: false, output: 'There is no such file' },
      { tool: 'submit_reply', ok: false, output: expect.stringContaining('`read_file` failed before it') },
      { tool: 'submit_reply', ok: false, output: expect.stringContaining('they differ') },
      { tool: 'submit_reply', ok: false, output: expect.stringContaining('they differ') },
    ])
    expect(await crew.answers('one')).toEqual(['question 1', 'plan 1 APPROVED', 'code 1 APPROVED'])
  })

  test('a malformed reply never ends the lane: it says what is wrong, and the next may be right', async () => {
    const results = await crew.results(garbage)
    expect(results.every(({ ok }) => !ok)).toBe(true)
    const words = [/needs a verdict/, /verdict: /, /response: /, /findings\.0\./, /no tool `submit_stories`/]
    expect(results).toHaveLength(words.length)
    for (const [i, word] of words.entries()) expect(results[i]?.output).toMatch(word)
  })

  test('a tool of another state is not there', async () => {
    const [, wrong] = await crew.results('architect/STORY_GENERATION')
    expect(wrong).toMatchObject({ ok: false, output: expect.stringContaining('no tool `submit_reply`') })
  })
})
