import { afterEach, describe, expect, test } from 'vitest'
import type { Drydock } from '../../../src/app/drydock.ts'
import { follow } from '../../../src/app/wait/follow.ts'
import type { Lane } from '../../../src/domain/lane/lane.ts'
import type { Records } from '../../../src/ports/store.ts'
import type { WireTurn } from '../../wire/turn.ts'
import { createBudgetWorld } from '../../world/budget.ts'
import { alwaysGreen, greenStory, type Lanes, planned, reject, specLanes, storyPlan } from '../world/crew.ts'
import { crewOf, read } from '../world/crew-conversation.ts'
import { statesOf } from '../world/crew-script.ts'
import { type CommandResult, resultOf } from '../world/fixture.ts'
import { openWatched } from '../world/interrupt.ts'
import { type BudgetWorld, using } from '../world/wire-budget.ts'

let world: BudgetWorld
afterEach(() => world.remove())

const run = 'make-the-files-000000'
const usage = { input: 20_000, output: 1_000 }
const two: Lanes = using({ ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') }, usage)

/** Stores a crew's Run; without stories the architect plans them. */
async function store(
  drydock: Drydock,
  { budgetUsd, stories = null }: { budgetUsd?: number; stories?: object[] | null },
) {
  const spec = { text: 'Make the files', source: 'text' }
  const request = { kind: 'spec', spec, planOnly: false, reviewStories: false, stories: stories as never } as const
  const models = { architect: world.model, editor: world.model, scout: world.model }
  const start = { kind: 'start', run, request, target: null, configFile: null, models } as const
  await drydock.submit('start', { ...start, ...(budgetUsd !== undefined && { budgetUsd }) })
}

const resume = (coders = 2) => world.fixture.drydock('resume', '--json', '--no-wait', '--max-coders', String(coders))
const raise = (usd: string) => world.fixture.drydock('budget', '--raise', usd, '--json')
const ended = (result: CommandResult) => ({ exitCode: result.exitCode, status: resultOf(result).status })
const paused = { exitCode: 7, status: 'PAUSED' }
const doubled = () => {
  const turns = read(world.fixture, (records) => records.events({ run, after: 0, limit: 10_000 }))
  return turns.then((events) => {
    const calls = events.filter((event) => event.type === 'model_call').map(({ data }) => `${data.lane} ${data.turn}`)
    return calls.length - new Set(calls).size
  })
}

describe('a crew', () => {
  test('is PAUSED wherever it asks a model, and continues there after each raise', async () => {
    world = await createBudgetWorld(two, { steps: [alwaysGreen], user: { budget: { story_usd: 10 } } })
    await store(await world.fixture.open(), { budgetUsd: 0.001 })
    const states: string[] = []
    let result = await resume(1)
    for (let i = 0; resultOf(result).status === 'PAUSED' && i < 40; i += 1) {
      expect(result.exitCode).toBe(7)
      const { state, data } = await crewOf(world.fixture, run).machine()
      const stories = await crewOf(world.fixture, run).events('state')
      const last = stories.findLast(({ data: { to } }) => to === 'PAUSED')
      states.push(data.stoppedIn === 'MONITORING' ? String(last?.data.from) : String(data.stoppedIn))
      expect(state).toBe('PAUSED')
      // Enough for one more call, or for none.
      await raise('0.0205')
      result = await resume(1)
    }
    expect(ended(result), result.stderr).toEqual({ exitCode: 0, status: 'DONE' })
    expect(new Set(states)).toEqual(
      new Set(['SCOPING', 'STORY_GENERATION', 'PLANNING', 'PLAN_REVIEW', 'CODING', 'CODE_REVIEW']),
    )
    expect(await doubled()).toBe(0)
    expect(world.heard()).toHaveLength(Object.values(two).flat().length)
    expect(await world.fixture.git('rev-list', '--count', 'main..drydock/make-the-files')).toBe('2')
  })

  test('continues the other stories while one has reached its own bound, and reports the cost of each', async () => {
    const dear = { input: 60_000, output: 1_000 }
    const lanes = { ...two, ...using({ 'editor/one/PLANNING': [storyPlan('one')] }, dear) }
    world = await createBudgetWorld(lanes, { steps: [alwaysGreen], user: { budget: { story_usd: 0.135 } } })
    await store(await world.fixture.open(), {})
    const result = await resume()
    expect(ended(result), result.stderr).toEqual(paused)
    expect(statesOf(result)).toEqual({ one: 'PAUSED', two: 'DONE' })
    expect(resultOf(result)).toMatchObject({
      branch: 'drydock/make-the-files',
      paused: [{ story: 'one', cap: 'story_usd', limit: 0.135 }],
    })
    await raise('1')
    const done = await resume()
    expect(ended(done), done.stderr).toEqual({ exitCode: 0, status: 'DONE' })
    expect(await doubled()).toBe(0)
    const { cost } = (await world.fixture.drydock('report', run, '--json')).events[0] as unknown as Costs
    // SCOPING and STORY_GENERATION belong to no story; each story has two reviews, a plan, and two
    // calls for its change.
    expect(cost).toMatchObject({ cost_usd: 0.292, per_merged_story_usd: 0.146 })
    expect(cost.stories.map(({ id, cost_usd }) => [id, cost_usd])).toEqual([
      ['one', 0.145],
      ['two', 0.105],
    ])
    expect(cost.agents.map(({ agent, calls, cost_usd }) => [agent, calls, cost_usd])).toEqual([
      ['architect', 6, 0.126],
      ['editor', 6, 0.166],
    ])
    const text = (await world.fixture.drydock('report', run)).stdout
    expect(text).toContain('- Cost: $0.29, $0.15 for each finished story')
  })

  test('needs one raise only, when the bounds of the run and of its story are both in the way', async () => {
    world = await createBudgetWorld(two, { steps: [alwaysGreen], user: { budget: { story_usd: 0.02 } } })
    await store(await world.fixture.open(), { budgetUsd: 0.05 })
    const first = await resume(1)
    expect(ended(first), first.stderr).toEqual(paused)
    const heard = world.heard().length
    const [line = ''] = /(?<=--raise )\S+/.exec(first.stderr) ?? []
    await raise(line)
    const second = await resume(1)
    expect(ended(second), second.stderr).toEqual(paused)
    expect(world.heard().length).toBeGreaterThan(heard)
  })

  test('takes a reply while it is PAUSED, and is PAUSED again when nothing else can continue', async () => {
    const dear = { input: 140_000, output: 1_000 }
    const lanes = {
      ...two,
      ...using({ 'editor/one/PLANNING': [storyPlan('one')] }, dear),
      ...using({ 'architect/REQUEST/plan/two/1': [reject()] }, usage),
    }
    world = await createBudgetWorld(lanes, { steps: [alwaysGreen], user: { budget: { story_usd: 0.15 } } })
    await store(await world.fixture.open(), {})
    const first = await resume()
    expect(ended(first), first.stderr).toEqual(paused)
    expect(statesOf(first)).toEqual({ one: 'PAUSED', two: 'REJECTED' })
    const crew = crewOf(world.fixture, run)
    const [question] = await crew.open()
    // A reply to a message without a question continues nothing.
    await world.fixture.drydock('chat', run, '--post', 'Well?')
    expect(ended(await resume())).toEqual(paused)
    const said = (await crew.chat()).at(-1)?.id ?? ''
    const drydock = await world.fixture.open()
    await drydock.submit('reply/said', { kind: 'reply', run, message: said, text: 'Well!' })
    expect(ended(await resume())).toEqual(paused)
    await world.fixture.drydock('reply', question?.id ?? '', 'skip')
    const second = await resume()
    expect(ended(second), second.stderr).toEqual(paused)
    expect(statesOf(second)).toEqual({ one: 'PAUSED', two: 'CANCELLED' })
    await raise('1')
    const done = await resume()
    expect(ended(done), done.stderr).toEqual({ exitCode: 3, status: 'DONE' })
    expect(await doubled()).toBe(0)
  })

  test('keeps what its stories have done when it is cancelled while it is PAUSED', async () => {
    world = await createBudgetWorld(two, { steps: [alwaysGreen], user: { budget: { story_usd: 0.1 } } })
    await store(await world.fixture.open(), {})
    expect(ended(await resume())).toEqual(paused)
    const cancelled = await world.fixture.drydock('cancel', '--json')
    expect(ended(cancelled)).toEqual({ exitCode: 5, status: 'CANCELLED' })
    const story = await crewOf(world.fixture, run).story('one')
    const { history } = await world.fixture.open()
    const to = story.data.snapshot?.sha ?? ''
    expect((await history.diff({ from: story.data.base, to, maxBytes: 10_000 })).text).toContain('one.txt')
  })
})

test('a lane waits while others hold the rest, and continues when they have used less', async () => {
  const release = Promise.withResolvers<void>()
  const answer = async (turn: WireTurn, { number }: { readonly number: number }) => {
    if (number === 1) await release.promise
    return turn
  }
  const stories = [planned({ id: 'one' }), planned({ id: 'two' })].map((story) => ({
    depends_on: [],
    files_hint: [],
    ...story,
  }))
  const little = { input: 300, output: 100 }
  world = await createBudgetWorld(using({ ...greenStory('one'), ...greenStory('two') }, little), {
    steps: [alwaysGreen],
    answer,
  })
  // The lane was checked more than once, but has not asked yet, while the other one has.
  const waits = async (records: Records) =>
    world.heard().length > 0 &&
    ((await records.machines({ kind: 'lane' })) as readonly Lane[]).some(
      ({ version, data }) => version > 2 && data.turn === 0,
    )
  let heardThen = 0
  const act = () => {
    heardThen = world.heard().length
    release.resolve()
  }
  const drydock = await openWatched(world.fixture, [{ when: waits, act }])
  await store(drydock, { budgetUsd: 0.03, stories })
  const { results } = await follow(drydock, {
    runs: [run],
    after: 0,
    coders: 2,
    own: true,
    noWait: true,
    humanDelayMs: null,
    onEvent: () => {},
    onNote: () => {},
    stop: new AbortController().signal,
  })
  expect(heardThen).toBe(1)
  expect(results.get(run)).toMatchObject({ status: 'DONE' })
  expect(await crewOf(world.fixture, run).events('paused')).toEqual([])
})

test('16 stories side by side never make a call that their budget has no room for', async () => {
  const ids = Array.from({ length: 16 }, (_, i) => `s${i}`)
  const most = { input: 2_500, output: 16_384 }
  const lanes = using(Object.assign({}, ...ids.map((id) => greenStory(id))), most)
  world = await createBudgetWorld(lanes, { steps: [alwaysGreen] })
  const stories = ids.map((id) => ({ ...planned({ id }), depends_on: [], files_hint: [] }))
  await store(await world.fixture.open(), { budgetUsd: 0.5, stories })
  const result = await resume(16)
  expect(ended(result), result.stderr).toEqual(paused)
  const each = (most.input + most.output) / 1e6
  const within = Math.floor(0.5 / each)
  // Reservations are slightly higher than the final usage.
  expect(world.heard().length).toBeGreaterThanOrEqual(within - 4)
  expect(world.heard().length * each).toBeLessThanOrEqual(0.5)
  expect(resultOf(result).cost_usd).toBeCloseTo(world.heard().length * each)
})

interface Costs {
  readonly cost: {
    readonly cost_usd: number
    readonly per_merged_story_usd: number
    readonly stories: readonly { readonly id: string; readonly cost_usd: number }[]
    readonly agents: readonly { readonly agent: string; readonly calls: number; readonly cost_usd: number }[]
  }
}
