import { afterEach, describe, expect, test } from 'vitest'
import { follow } from '../../../src/app/wait/follow.ts'
import type { Message } from '../../../src/domain/lane/message.ts'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { approve, build, greenStory, type Lanes, reply, specLanes, stories } from '../world/crew.ts'
import { answer, type CrewConversation, crewOf, storedSpec } from '../world/crew-conversation.ts'
import { call, resultOf, type Turns } from '../world/fixture.ts'
import { type Condition, interruptWhen } from '../world/interrupt.ts'

const planReview = 'architect/REQUEST/plan/one/1'

let fixture: Fixture
afterEach(() => fixture.remove())

/** Turns that each read something else. */
const looking = (count: number): Turns =>
  Array.from({ length: count }, (_, i) => call('list_files', { pattern: `${i}-*` }))

const lanes = (review: Turns): Lanes => ({ ...specLanes('one'), ...greenStory('one'), [planReview]: review })

/** The kind of each request of a lane, by its messages and the answers to its calls. */
async function requests(crew: CrewConversation, lane: string): Promise<readonly string[]> {
  const all: string[] = []
  let told = 'plain'
  for (const message of await crew.messages(lane)) {
    if (message.role === 'user') told = kindOf(message)
    else if (message.role === 'assistant') all.push(told)
    else all[all.length - 1] += message.results.every(({ ok }) => ok) ? '' : ' refused'
    if (message.role === 'tool') told = 'plain'
  }
  return all
}

function kindOf({ text }: Extract<Message, { role: 'user' }>): string {
  if (text.includes('<guidance from="human" key=')) return 'guided'
  if (!text.includes('<iteration_limit>')) return 'plain'
  return text.includes('is now refused') ? 'only the reply' : 'warned'
}

const times = (count: number, kind: string) => Array.from({ length: count }, () => kind)

describe('IterationLimitEnforcement', () => {
  test('by default: warned from the 8th request, refused from the 12th; a human is asked, from 0 again', async () => {
    fixture = await createCrewFixture()
    const stopped = await build(fixture, lanes([...looking(20), approve()]))
    expect(stopped.exitCode, stopped.stdout + stopped.stderr).toBe(6)
    const crew = crewOf(fixture, stopped)
    const first = [...times(7, 'plain'), ...times(4, 'warned'), ...times(4, 'only the reply refused')]
    expect(await requests(crew, planReview)).toEqual(first)
    expect((await crew.request('plan', 'one')).state).toBe('ESCALATED')
    const [question] = await crew.open()
    expect(question).toMatchObject({ agent_id: 'architect', story: 'one', post_type: 'escalate', reply_to: null })
    expect(question?.content).toMatch(/REQUEST\/plan\/one\/1[\s\S]*iteration limit[\s\S]*15 turns, 15 calls/)

    const done = await answer(fixture, crew, { story: 'one', text: 'Approve it now.' })
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
    expect(await requests(crew, planReview)).toEqual([...first, 'guided', ...times(5, 'plain')])
    expect(await crew.lane(planReview)).toMatchObject({ iterations: 6, turn: 21 })
  })

  test('of the configuration hold for requests and for scoping', async () => {
    const limits = { request_soft_limit: 2, request_hard_limit: 8, scoping_soft_limit: 1, scoping_hard_limit: 3 }
    fixture = await createCrewFixture({ config: { architect: limits } })
    const stopped = await build(fixture, {
      ...lanes([...looking(7), approve()]),
      'architect/SCOPING': [...looking(2), reply('Small.')],
      'architect/STORY_GENERATION': [...looking(2), stories('one')],
    })
    const crew = crewOf(fixture, stopped)
    expect(stopped.exitCode, stopped.stdout + stopped.stderr).toBe(6)
    expect(await requests(crew, 'architect/SCOPING')).toEqual(times(2, 'warned'))
    expect((await crew.machine()).state).toBe('ESCALATED')

    const planning = await answer(fixture, crew, { story: null, text: 'That will do.' })
    expect(planning.exitCode, planning.stdout + planning.stderr).toBe(6)
    expect(await requests(crew, 'architect/SCOPING')).toEqual([...times(2, 'warned'), 'warned'])
    expect(await crew.messages('architect/SCOPING')).toContainEqual({
      role: 'user',
      text: expect.stringMatching(/<guidance from="human" key="\w{16}">\s*That will do\.\s*<\/guidance>/),
    })
    expect(await requests(crew, 'architect/STORY_GENERATION')).toEqual(times(2, 'warned'))
    expect((await crew.machine()).data).toMatchObject({ origin: 'STORY_GENERATION' })

    const building = await answer(fixture, crew, { story: null, text: 'One story.' })
    expect(building.exitCode, building.stdout + building.stderr).toBe(6)
    const all = ['plain', ...times(4, 'warned'), ...times(2, 'only the reply refused')]
    expect(await requests(crew, planReview)).toEqual(all)
    const done = await answer(fixture, crew, { story: 'one', text: 'Approve it.' })
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
    expect(await requests(crew, planReview)).toEqual([...all, 'guided'])
  })

  test('let a reply through where every other call is refused', async () => {
    fixture = await createCrewFixture({ config: { architect: { request_soft_limit: 1, request_hard_limit: 9 } } })
    const done = await build(fixture, lanes([...looking(5), approve()]))
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
    const crew = crewOf(fixture, done)
    expect(await requests(crew, planReview)).toEqual([
      ...times(4, 'warned'),
      'only the reply refused',
      'only the reply',
    ])
    const refused = (await crew.results(planReview)).at(-1)
    expect(refused?.output).toBe('You have reached the limit. Only `submit_reply` is accepted now.')
  })

  test('count on after the owner has stopped in the middle', async () => {
    fixture = await createCrewFixture()
    const run = await storedSpec(fixture, lanes(looking(20)))
    const crew = crewOf(fixture, run)
    for (const stopAt of [3, 9]) {
      const isAsked: Condition = async (records) =>
        (await records.modelCalls(run, `${run}/${planReview}`)).some(({ turn }) => turn === stopAt)
      await interruptWhen(fixture, run, isAsked, 1)
      // A step that has started ends first.
      const { turn } = await crew.lane(planReview)
      expect([stopAt + 1, stopAt + 2]).toContain(turn)
    }
    await follow(await fixture.open(), {
      runs: [run],
      after: 0,
      coders: 1,
      own: true,
      noWait: true,
      humanDelayMs: null,
      onEvent: () => {},
      onNote: () => {},
      stop: new AbortController().signal,
    })
    expect(await requests(crew, planReview)).toEqual([
      ...times(7, 'plain'),
      ...times(4, 'warned'),
      ...times(4, 'only the reply refused'),
    ])
    expect(await crew.open()).toHaveLength(1)
    expect((await crew.lane(planReview)).turn).toBe(15)
  })
})
