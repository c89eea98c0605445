import { afterEach, describe, expect, test } from 'vitest'
import type { Records } from '../../../src/ports/store.ts'
import { endArchitectSandbox } from '../../world/architect-sandbox.ts'
import type { Fixture } from '../../world/fixture.ts'
import { storeCrew } from '../../world/stored-crew.ts'
import { approve, greenStory, reject, specLanes, storyPlan } from '../world/crew.ts'
import { type CommandResult, call, resultOf } from '../world/fixture.ts'
import { interruptWhen, machineIn, openWatched } from '../world/interrupt.ts'
import { expectBuilt, followHere, green, read, resume, run, statesOf, without } from '../world/stored-crew.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const look = (pattern: string, more: object = {}) => call('list_files', { pattern, ...more })

async function expectStopped(stopped: CommandResult): Promise<void> {
  expect(resultOf(stopped)).toMatchObject({ status: 'ERROR', error: { code: 'replay_missing' } })
  expect(await read(fixture, (records) => records.isIdle(run))).toBe(true)
}

describe('a turn that the recording lacks stops the whole crew, and once it exists everything continues', () => {
  test.each([
    'architect/SCOPING',
    'architect/STORY_GENERATION',
    'architect/REQUEST/plan/one/1',
    'editor/two/CODING',
    'architect/REQUEST/code/two/1',
  ])('in %s', async (lane) => {
    fixture = await storeCrew(without(green, lane))
    const stopped = await resume(fixture)
    expect(stopped.exitCode, stopped.stderr).toBe(1)
    await expectStopped(stopped)
    await fixture.replay(green)
    await expectBuilt(fixture, await resume(fixture))
  })

  test('while another story is being merged, which goes back to the queue', async () => {
    const long = Array.from({ length: 160 }, (_, i) => look(`${i}`))
    const config = { editor: { planning_iterations: 200, turns_without_progress: 200 } }
    const lanes = { ...green, 'editor/two/PLANNING': [...long, storyPlan('two')] }
    fixture = await storeCrew(lanes, { config })
    await interruptWhen(fixture, run, async (records) => {
      const planning = await records.machine(`${run}/editor/two/PLANNING`)
      return planning?.state === 'ASKING' && (await machineIn('merge', 'MERGING')(records))
    })
    expect(await statesOf(fixture, 'merge')).toEqual(['MERGING'])
    await fixture.replay(without(lanes, 'editor/two/PLANNING'))
    await expectStopped(await resume(fixture))
    expect(await statesOf(fixture, 'merge')).toEqual(['QUEUED'])
    await fixture.replay(lanes)
    await expectBuilt(fixture, await resume(fixture))
  })
})

test('a step that is being taken when the Run stops is not committed any more, and is taken again', async () => {
  const names = Array.from({ length: 6 }, (_, i) => `story-${i}`)
  const said = Array.from({ length: 20 }, (_, i) => call('post_message', { content: `${i}` }))
  const turns = (name: string) => [...said, storyPlan(name)]
  const lanes = Object.assign(
    { ...specLanes(...names) },
    ...names.map((name) => ({ ...greenStory(name), [`editor/${name}/PLANNING`]: turns(name) })),
  )
  fixture = await storeCrew(without(lanes, 'editor/story-0/PLANNING', 10), {
    config: { editor: { planning_iterations: 40, turns_without_progress: 40 } },
  })
  await expectStopped(await resume(fixture, 6))
  await fixture.replay(lanes)
  await expectBuilt(fixture, await resume(fixture, 6), names.length)
})

test('a commit that is on the branch already when the Run stops is the one that stays there', async () => {
  fixture = await storeCrew({ ...specLanes('one'), ...greenStory('one') })
  let published = ''
  const drydock = await fixture.open({
    async beforeCommit() {
      if (published !== '') return
      published = await fixture.git('for-each-ref', '--format=%(objectname)', 'refs/heads/drydock/make-the-files')
      if (published === '') return
      throw new Error('nothing can be stored just now')
    },
  })
  expect(await followHere(drydock)).toMatchObject({ exitCode: 1, result: { status: 'ERROR' } })
  expect(published).toMatch(/^[0-9a-f]{40}$/)
  await expectBuilt(fixture, await resume(fixture), 1)
  expect(await fixture.git('for-each-ref', '--format=%(objectname) %(refname:short)', 'refs/heads/drydock')).toBe(
    `${published} drydock/make-the-files`,
  )
})

describe('while a question is open and the Run is in ERROR', () => {
  const config = { architect: { request_soft_limit: 2, request_hard_limit: 3 } }
  const asking = { ...green, 'architect/REQUEST/plan/one/1': [look('a'), look('b'), approve()] }
  const cut = 'architect/REQUEST/code/two/1'

  async function question(): Promise<string> {
    const [asked] = await read(fixture, (records) => records.chat({ run, postType: 'escalate' }))
    return asked?.id ?? ''
  }

  test('a reply is kept, and heard when the Run is resumed', async () => {
    fixture = await storeCrew(without(asking, cut), { config })
    await expectStopped(await resume(fixture))
    expect(await statesOf(fixture, 'request')).toContain('ESCALATED')
    expect(await fixture.drydock('reply', await question(), 'Good enough.')).toMatchObject({ exitCode: 0 })
    await fixture.replay(asking)
    await expectBuilt(fixture, await resume(fixture))
  })

  test('a reply that is applied before the Run is resumed waits with the rest of it', async () => {
    fixture = await storeCrew(without(asking, cut), { config })
    await expectStopped(await resume(fixture))
    await fixture.drydock('reply', await question(), 'Good enough.')
    // Any other work makes this process the owner, which applies the reply.
    const drydock = await fixture.open()
    const owner = await drydock.own({ coders: 2, onFailure: () => {} })
    await owner?.stop({ drain: true })
    expect(await statesOf(fixture, 'request')).not.toContain('ESCALATED')
    expect(await statesOf(fixture, 'run')).toEqual(['ERROR'])
    expect(await read(fixture, (records) => records.isIdle(run))).toBe(true)
    await fixture.replay(asking)
    await expectBuilt(fixture, await resume(fixture))
  })

  test('the question stays, and can be answered later', async () => {
    fixture = await storeCrew(without(asking, cut), { config })
    await expectStopped(await resume(fixture))
    await fixture.replay(asking)
    expect((await resume(fixture)).exitCode).toBe(6)
    await fixture.drydock('reply', await question(), 'Good enough.')
    await expectBuilt(fixture, await resume(fixture))
  })

  test('a failed story that is skipped meanwhile takes its dependents with it', async () => {
    const lanes = {
      ...specLanes('one', 'two', { id: 'three', depends_on: ['one'] }),
      ...greenStory('two'),
      'editor/one/PLANNING': [storyPlan('one')],
      'architect/REQUEST/plan/one/1': [reject()],
    }
    fixture = await storeCrew(without(lanes, 'editor/two/CODING', 1))
    // One after the other: the failing story has its turn before the one that stops the Run.
    await expectStopped(await resume(fixture, 1))
    await fixture.drydock('reply', await question(), 'skip')
    const drydock = await fixture.open()
    await (await drydock.own({ coders: 2, onFailure: () => {} }))?.stop({ drain: true })
    await fixture.replay(lanes)
    const done = await resume(fixture)
    expect(done.exitCode).toBe(3)
    expect(resultOf(done)).toMatchObject({
      status: 'DONE',
      stories: [{ state: 'CANCELLED' }, { state: 'DONE' }, { state: 'CANCELLED' }],
    })
  })
})

describe('the sandbox that the architect reads in', () => {
  const looks = ['*.txt', '*.md', '*.txt'].map((pattern) => look(pattern, { coder_id: '${coder_id}' }))
  const lanes = (read: readonly ReturnType<typeof look>[]) => ({
    ...specLanes('one'),
    ...greenStory('one'),
    'architect/REQUEST/code/one/1': [...read, approve()],
  })
  // By then the reads of all earlier turns are answered: the sandbox is open, and is not the one
  // that died two turns ago.
  const isAtTurn = (turn: number) => async (records: Records) =>
    (await records.modelCalls(run, `${run}/architect/REQUEST/code/one/1`)).some((call) => call.turn === turn)

  async function followWith(deaths: readonly number[], read = looks) {
    fixture = await storeCrew(lanes(read))
    const kill = () => endArchitectSandbox(fixture)
    const drydock = await openWatched(
      fixture,
      deaths.map((turn) => ({ when: isAtTurn(turn), act: kill })),
    )
    return followHere(drydock)
  }

  test('is started again when it dies, and nobody notices', async () => {
    expect(await followWith([1])).toMatchObject({ exitCode: 0, result: { status: 'DONE' } })
    const messages = await read(fixture, (records) => records.messages(`${run}/architect/REQUEST/code/one/1`))
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
    const files = { ok: true, output: 'one.txt\nvalue.txt' }
    expect(results).toMatchObject([files, { ok: true }, files])
  })

  // The sandbox reads during the commit at which it dies, so the death may only show at the next
  // read.
  test('stops the Run when it dies twice, which can be resumed', async () => {
    expect(await followWith([1, 3], [...looks, ...looks])).toMatchObject({
      exitCode: 4,
      result: { status: 'ERROR', error: { code: 'architect_sandbox_ended' } },
    })
    await expectBuilt(fixture, await resume(fixture), 1)
  })
})
