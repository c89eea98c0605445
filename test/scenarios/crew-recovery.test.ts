import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { follow } from '../../src/cli/follow.ts'
import { type Drydock, openDrydock, type StateReader } from '../../src/compose.ts'
import type { MachineKind } from '../../src/domain/machine.ts'
import { approve, createCrewFixture, greenStory, type Lanes, reject, reply, specLanes, storyPlan } from './crew.ts'
import { type CommandResult, call, type Fixture, type FixtureOptions, resultOf } from './fixture.ts'
import { interruptWhen, killArchitectSandbox, machineIn, openWatched } from './interrupt.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const run = 'make-the-files-000000'
const look = (pattern: string, more: object = {}) => call('list_files', { pattern, ...more })

const green: Lanes = { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') }

function without(lanes: Lanes, lane: string, from = 0): Lanes {
  return { ...lanes, [lane]: (lanes[lane] ?? []).slice(0, from) }
}

/** Stores a crew's Run that nobody has begun. */
async function stored(lanes: Lanes, { reviewStories = false, ...options }: FixtureOptions & { reviewStories?: boolean } = {}) {
  fixture = await createCrewFixture(options)
  const model = await fixture.replay(lanes)
  const spec = { text: 'Make the files', source: 'text' }
  const request = { kind: 'spec', spec, planOnly: false, reviewStories, stories: null } as const
  const models = { architect: model, editor: model, scout: model }
  const drydock = await fixture.open()
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile: null, models })
}

const resume = () => fixture.drydock('resume', '--json', '--no-wait', '--max-coders', '2')

async function read<T>(reading: (records: StateReader) => Promise<T>): Promise<T> {
  const records = (await fixture.open()).openRecords()
  if (!records) throw new Error('no state')
  return reading(records).finally(() => records.close())
}

async function statesOf(kind: MachineKind): Promise<readonly string[]> {
  const machines = await read((records) => records.machines({ kind, run }))
  return machines.map(({ state }) => state)
}

/** Each turn of each lane was played once, and the branch has one commit a story. */
async function expectBuilt(done: CommandResult, stories = 2): Promise<void> {
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', run })
  const events = await read((records) => records.events({ run, after: 0, limit: 10_000 }))
  const calls = events.filter(({ type }) => type === 'model_call').map(({ data }) => `${data.lane} ${data.turn}`)
  expect(new Set(calls).size).toBe(calls.length)
  expect(await fixture.git('rev-list', '--count', 'main..drydock/make-the-files')).toBe(String(stories))
  expect(await read((records) => records.jobs())).toEqual([])
}

async function expectStopped(stopped: CommandResult): Promise<void> {
  expect(resultOf(stopped)).toMatchObject({ status: 'ERROR', error: { code: 'replay_missing' } })
  expect(await read((records) => records.jobs())).toEqual([])
}

describe('a turn that the recording lacks stops the whole crew, and once it is there all goes on', () => {
  test.each([
    'architect/SCOPING',
    'architect/STORY_GENERATION',
    'architect/REQUEST/plan/one/1',
    'editor/two/CODING',
    'architect/REQUEST/code/two/1',
  ])('in %s', async (lane) => {
    await stored(without(green, lane))
    const stopped = await resume()
    expect(stopped.exitCode, stopped.stderr).toBe(1)
    await expectStopped(stopped)
    await fixture.replay(green)
    await expectBuilt(await resume())
  })

  test('while another story is being merged, which goes back to the queue', async () => {
    const long = Array.from({ length: 60 }, (_, i) => look(`${i}`))
    const config = { editor: { planning_iterations: 100 } }
    const lanes = { ...green, 'editor/two/PLANNING': [...long, storyPlan('two')] }
    await stored(lanes, { config })
    await interruptWhen(fixture, run, machineIn('merge', 'MERGING'))
    expect(await statesOf('merge')).toEqual(['MERGING'])
    await fixture.replay(without(lanes, 'editor/two/PLANNING'))
    await expectStopped(await resume())
    expect(await statesOf('merge')).toEqual(['QUEUED'])
    await fixture.replay(lanes)
    await expectBuilt(await resume())
  })
})

test('a step that is being taken when the Run stops is not committed any more, and is taken again', async () => {
  const names = Array.from({ length: 8 }, (_, i) => `story-${i}`)
  const turns = (name: string) => [...Array.from({ length: 20 }, (_, i) => look(`${i}`)), storyPlan(name)]
  const lanes = Object.assign(
    { ...specLanes(...names) },
    ...names.map((name) => ({ ...greenStory(name), [`editor/${name}/PLANNING`]: turns(name) })),
  )
  await stored(without(lanes, 'editor/story-0/PLANNING', 8), { config: { editor: { planning_iterations: 40 } } })
  await expectStopped(await fixture.drydock('resume', '--json', '--max-coders', '8'))
  await fixture.replay(lanes)
  await expectBuilt(await fixture.drydock('resume', '--json', '--max-coders', '8'), names.length)
})

test('a commit that is on the branch already when the Run stops is the one that stays there', async () => {
  await stored({ ...specLanes('one'), ...greenStory('one') })
  let published = ''
  const drydock = await openDrydock({
    directory: fixture.repo,
    env: fixture.env,
    beforeCommit() {
      const branch = join(fixture.repo, '.git/refs/heads/drydock/make-the-files')
      if (published !== '' || !existsSync(branch)) return
      published = readFileSync(branch, 'utf8').trim()
      throw new Error('nothing can be stored just now')
    },
  })
  expect(await followHere(drydock)).toMatchObject({ exitCode: 1, result: { status: 'ERROR' } })
  expect(published).toMatch(/^[0-9a-f]{40}$/)
  await expectBuilt(await resume(), 1)
  expect(await fixture.git('rev-parse', 'drydock/make-the-files')).toBe(published)
})

/** Works on the Run in this process, as a command does that waits for nobody. */
async function followHere(drydock: Drydock) {
  const { exitCode, results } = await follow(drydock, {
    ...{ runs: [run], after: 0, coders: 1, own: true, noWait: true, humanDelayMs: null },
    ...{ onEvent: () => {}, onNote: () => {}, stop: new AbortController().signal },
  })
  return { exitCode, result: results.get(run) }
}

describe('while a question is open and the Run is in ERROR', () => {
  const config = { architect: { request_soft_limit: 2, request_hard_limit: 3 } }
  const asking = { ...green, 'architect/REQUEST/plan/one/1': [look('a'), look('b'), approve()] }
  const cut = 'architect/REQUEST/code/two/1'

  async function question(): Promise<string> {
    const [asked] = await read((records) => records.chat({ run, postType: 'escalate' }))
    return asked?.id ?? ''
  }

  test('a reply is kept, and heard when the Run is resumed', async () => {
    await stored(without(asking, cut), { config })
    await expectStopped(await resume())
    expect(await statesOf('request')).toContain('ESCALATED')
    expect(await fixture.drydock('reply', await question(), 'Good enough.')).toMatchObject({ exitCode: 0 })
    await fixture.replay(asking)
    await expectBuilt(await resume())
  })

  test('a reply that is applied before the Run is resumed waits with the rest of it', async () => {
    await stored(without(asking, cut), { config })
    await expectStopped(await resume())
    await fixture.drydock('reply', await question(), 'Good enough.')
    // Any other work makes this process the owner, which applies the reply.
    const drydock = await fixture.open()
    const owner = await drydock.own({ coders: 2, onFailure: () => {} })
    await owner?.stop({ drain: true })
    expect(await statesOf('request')).not.toContain('ESCALATED')
    expect(await statesOf('run')).toEqual(['ERROR'])
    expect(await read((records) => records.jobs())).toEqual([])
    await fixture.replay(asking)
    await expectBuilt(await resume())
  })

  test('the question stays, and can be answered later', async () => {
    await stored(without(asking, cut), { config })
    await expectStopped(await resume())
    await fixture.replay(asking)
    expect((await resume()).exitCode).toBe(6)
    await fixture.drydock('reply', await question(), 'Good enough.')
    await expectBuilt(await resume())
  })

  test('a failed story that is skipped meanwhile takes its dependents with it', async () => {
    const lanes = {
      ...specLanes('one', 'two', { id: 'three', depends_on: ['one'] }),
      ...greenStory('two'),
      'editor/one/PLANNING': [storyPlan('one')],
      'architect/REQUEST/plan/one/1': [reject()],
    }
    await stored(without(lanes, 'editor/two/CODING', 1))
    await expectStopped(await resume())
    await fixture.drydock('reply', await question(), 'skip')
    const drydock = await fixture.open()
    await (await drydock.own({ coders: 2, onFailure: () => {} }))?.stop({ drain: true })
    await fixture.replay(lanes)
    const done = await resume()
    expect(done.exitCode).toBe(3)
    expect(resultOf(done)).toMatchObject({
      status: 'DONE',
      stories: [{ state: 'CANCELLED' }, { state: 'DONE' }, { state: 'CANCELLED' }],
    })
  })
})

describe('the sandbox that the architect reads in', () => {
  const reading = [look('*.txt', { coder_id: '${coder_id}' }), look('*.md', { coder_id: '${coder_id}' }), approve()]
  const lanes = { ...specLanes('one'), ...greenStory('one'), 'architect/REQUEST/code/one/1': reading }
  const asked = (turn: number) =>
    `select 1 from model_calls where lane = '${run}/architect/REQUEST/code/one/1' and turn = ${turn}`

  async function followWith(deaths: readonly number[]) {
    await stored(lanes)
    const kill = () => killArchitectSandbox(fixture)
    const drydock = await openWatched(fixture, deaths.map((turn) => ({ when: asked(turn), then: kill })))
    return followHere(drydock)
  }

  test('is started again when it dies, and nobody notices', async () => {
    expect(await followWith([0])).toMatchObject({ exitCode: 0, result: { status: 'DONE' } })
    const messages = await read((records) => records.messages(`${run}/architect/REQUEST/code/one/1`))
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
    expect(results).toMatchObject([{ ok: true, output: 'one.txt\nvalue.txt' }, { ok: true }])
  })

  test('stops the Run when it dies twice, which can be resumed', async () => {
    expect(await followWith([0, 1])).toMatchObject({
      exitCode: 4,
      result: { status: 'ERROR', error: { code: 'architect_sandbox_ended' } },
    })
    await expectBuilt(await resume(), 1)
  })
})

describe('cancel', () => {
  const config = { architect: { request_soft_limit: 2, request_hard_limit: 3 }, editor: { planning_iterations: 3 } }
  const asks = call('ask_architect', { question: 'Which?' })
  const rich: Lanes = {
    ...green,
    'editor/one/PLANNING': [asks, look('a'), look('b'), look('c'), storyPlan('one')],
    'architect/REQUEST/question/one/1': [reply('That.')],
    'architect/REQUEST/budget/one/1': [approve()],
    'architect/REQUEST/code/one/1': [look('a'), look('b'), approve()],
  }
  const runStates = ['WAITING', 'SCOPING', 'STORY_GENERATION']
  const ofOne = (state: string) => `${machineIn('story', state)} and story = 'one'`
  const storyStates = [
    ...['SETUP', 'QUESTION', 'BUDGET_REVIEW', 'PLANNING', 'PLAN_REVIEW', 'CODING', 'VERIFYING', 'CODE_REVIEW'],
  ]
  const points = [
    ...runStates.map((state) => ({ where: state, when: machineIn('run', state) })),
    ...storyStates.map((state) => ({ where: state, when: ofOne(state) })),
    { where: 'a question to a human', when: machineIn('request', 'ESCALATED') },
    { where: 'MERGING', when: machineIn('merge', 'MERGING') },
  ]

  test.each(points)('in $where ends everything, and leaves nothing open', async ({ when }) => {
    await stored(rich, { config })
    await interruptWhen(fixture, run, when)
    const cancelled = await fixture.drydock('cancel', run, '--json')
    expect(cancelled.exitCode, cancelled.stderr).toBe(5)
    expect(resultOf(cancelled)).toMatchObject({ status: 'CANCELLED', run })
    await expectClosed()
    const again = await resume()
    expect(again.exitCode).toBe(5)
  })

  test('of stories that wait for an approval ends the Run', async () => {
    await stored(green, { reviewStories: true })
    expect((await resume()).exitCode).toBe(6)
    expect(await statesOf('run')).toEqual(['AWAIT_APPROVAL'])
    expect((await fixture.drydock('cancel', run, '--json')).exitCode).toBe(5)
    await expectClosed()
  })

  test('of a Run in ERROR ends it', async () => {
    await stored(without(green, 'editor/one/CODING', 1))
    await expectStopped(await resume())
    expect((await fixture.drydock('cancel', run, '--json')).exitCode).toBe(5)
    await expectClosed()
  })

  /** No machine is left in a state that anyone could go on from. */
  async function expectClosed(): Promise<void> {
    expect(await read((records) => records.jobs())).toEqual([])
    expect(await read((records) => records.pendingCommands())).toEqual([])
    const kinds = ['run', 'story', 'lane', 'request', 'verification', 'merge', 'scout_query'] as const
    const states = new Set((await Promise.all(kinds.map(statesOf))).flat())
    const over = ['CANCELLED', 'DONE', 'ENDED', 'ANSWERED', 'MERGED', 'RETURNED']
    expect([...states].filter((state) => !over.includes(state))).toEqual([])
  }
})
