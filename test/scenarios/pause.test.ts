import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { follow } from '../../src/app/wait/follow.ts'
import type { Run } from '../../src/domain/run/run.ts'
import type { Story } from '../../src/domain/story/story.ts'
import { createFixture, type Fixture, type Running } from '../world/fixture.ts'
import { alwaysGreen, greenStory, type Lanes, reject, specLanes } from './world/crew.ts'
import { crewOf, read, say, storedSpec, stuckTurn } from './world/crew-conversation.ts'
import { greenLanes, resultOf } from './world/fixture.ts'
import { configureUser } from './world/hook.ts'
import { interruptWhen, machineIn } from './world/interrupt.ts'
import { gatedLanes, gateReached } from './world/process.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

/**
 * Works on the state as `--no-wait` does, with a pause of the Run that is requested before any step
 * starts.
 */
async function pauseHere(run: string): Promise<number> {
  const drydock = await fixture.open()
  await drydock.submit(`pause/${await lastEvent()}`, { kind: 'pause', run })
  const { exitCode } = await follow(drydock, {
    runs: [run],
    after: await lastEvent(),
    coders: 1,
    own: true,
    noWait: true,
    humanDelayMs: null,
    onEvent: () => {},
    onNote: () => {},
    stop: new AbortController().signal,
  })
  return exitCode
}

const lastEvent = () => read(fixture, (records) => records.lastEvent())

const resumeLater = async (run: string) =>
  (await fixture.open()).submit(`resume/${await lastEvent()}`, { kind: 'resume', run, models: null })

/** Calls of models and tools, as `lane turn`, in the order of their ends. */
const calls = (run: string, type: 'model_call' | 'tool' = 'model_call') =>
  read(fixture, async (records) => {
    const events = await records.events({ run, after: 0, limit: 10_000 })
    return events.flatMap((event) =>
      (event.type === 'model_call' || event.type === 'tool') && event.type === type
        ? [`${event.data.lane} ${event.data.turn}`]
        : [],
    )
  })

describe('a task that is paused by hand', () => {
  beforeEach(async () => {
    fixture = await createFixture()
  })

  const start = (...args: string[]): Running => fixture.launch(args)

  async function startGated(...args: string[]) {
    const model = await fixture.replay(gatedLanes)
    const running = start('task', 'say new', '--json', '--no-ui', '--model', model, ...args)
    const run = JSON.parse(await running.line(/"type":"run"/)).run as string
    await running.line(gateReached)
    return { ...running, run, gate: await fixture.gate() }
  }

  const resting = /"type":"run_state".*"to":"PAUSED","by":"user"/

  test('ends the running call, starts no more, and continues from there in the same process', async () => {
    await configureUser(fixture, { commit: { author: 'user' } })
    const first = await startGated()
    const { run } = first
    const paused = await fixture.drydock('pause')
    expect(paused).toMatchObject({
      exitCode: 0,
      stdout: `${run} is being paused: the current steps end first. Continue with:  drydock resume ${run}\n`,
    })
    expect((await fixture.drydock('status')).stdout).toContain(`${run} is being paused: the current steps end first.`)
    expect((await fixture.drydock('pause')).stdout).toContain(`${run} is already being paused.`)
    await first.gate.open()
    await first.line(resting)
    expect(await calls(run, 'tool')).toEqual(['editor/task/PLANNING 0', 'editor/task/CODING 0'])
    expect(await calls(run)).toEqual(['editor/task/PLANNING 0', 'editor/task/CODING 0'])

    const status = (await fixture.drydock('status', '--json')).events[0]
    expect(status).toMatchObject({
      run,
      state: 'PAUSED',
      story: 'PAUSED',
      paused_by: 'user',
      paused_person: 'Tester',
      pausing: false,
    })
    expect((await fixture.drydock('status')).stdout).toContain(
      `${run}: It was paused by Tester. Continue with:  drydock resume`,
    )
    expect((await fixture.drydock('status')).stdout).toContain('PAUSED by Tester')
    expect((await fixture.drydock('report')).stdout).toContain(`${run} is PAUSED by Tester`)
    expect(await fixture.drydock('pause', run)).toMatchObject({
      exitCode: 0,
      stdout: `${run} is already PAUSED by Tester. Continue with:  drydock resume ${run}\n`,
    })
    // Followers wait, too, unless told not to.
    const watching = await fixture.drydock('watch', run, '--no-wait', '--json')
    expect(watching.exitCode).toBe(6)
    expect(resultOf(watching)).toMatchObject({
      status: 'PAUSED',
      paused_by: 'user',
      paused_person: 'Tester',
      paused: [],
    })
    expect(watching.stderr).toContain('It was paused by Tester.\nNothing is lost.')

    const resumed = await fixture.drydock('resume', '--json')
    expect(resumed.exitCode, resumed.stderr).toBe(0)
    const done = await first.ended
    expect(done.exitCode, done.stderr).toBe(0)
    expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
    expect(await calls(run)).toEqual(
      ['PLANNING 0', 'CODING 0', 'CODING 1', 'CODING 2'].map((at) => `editor/task/${at}`),
    )
    expect(await fixture.drydock('pause', run)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${run} has ended: DONE. There is nothing to pause.`),
    })
  })

  test.each(['before it came to rest', 'at rest'])('stays so when its process is killed %s', async (when) => {
    const first = await startGated()
    const { run } = first
    await fixture.drydock('pause', run)
    if (when === 'at rest') {
      await first.gate.open()
      await first.line(resting)
    }
    first.kill('SIGKILL')
    await first.ended
    const status = async () => (await fixture.drydock('status', run, '--json')).events[0]
    expect(await status()).toMatchObject({ state: 'PAUSED', paused_by: 'user' })
    const before = await calls(run)
    // The next owner of the state does none of the Run's work.
    const other = await fixture.drydock(
      'task',
      'other',
      '--dry-run',
      '--json',
      '--model',
      await fixture.replay(greenLanes),
    )
    expect(resultOf(other)).toMatchObject({ status: 'DONE' })
    expect(await calls(run)).toEqual(before)
    expect(await status()).toMatchObject({ state: 'PAUSED', story: 'PAUSED', paused_by: 'user' })
    await fixture.replay(gatedLanes)
    const done = await fixture.drydock('resume', run, '--json')
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
    expect(await calls(run)).toEqual(
      ['PLANNING 0', 'CODING 0', 'CODING 1', 'CODING 2'].map((at) => `editor/task/${at}`),
    )
  })

  test('is not started while it waits for a slot, and lets others pass', async () => {
    const first = await startGated('--max-coders', '1')
    const second = start(
      'task',
      'second',
      '--json',
      '--no-ui',
      '--no-wait',
      '--model',
      await fixture.replay(gatedLanes),
    )
    const run = JSON.parse(await second.line(/"type":"run"/)).run as string
    await second.line(/"type":"run",.*"kind":"task"/)
    expect((await fixture.drydock('pause', run)).stdout).toBe(
      `${run} is PAUSED. Continue with:  drydock resume ${run}\n`,
    )
    expect((await second.ended).exitCode).toBe(6)
    await first.gate.open()
    expect((await first.ended).exitCode).toBe(0)
    expect((await fixture.drydock('status', run, '--json')).events[0]).toMatchObject({ state: 'PAUSED', story: null })
    await fixture.replay(greenLanes)
    expect(resultOf(await fixture.drydock('resume', run, '--json'))).toMatchObject({ status: 'DONE' })
  })

  test('does not continue with more money, and keeps its work when it is cancelled', async () => {
    const first = await startGated('--no-wait')
    const { run } = first
    await fixture.drydock('pause', run)
    await first.gate.open()
    expect((await first.ended).exitCode).toBe(6)
    const raised = await fixture.drydock('budget', run, '--raise', '1')
    expect(raised.stdout).toBe(`Raised. It stays paused. Continue with:  drydock resume ${run}\n`)
    expect((await fixture.drydock('watch', run, '--no-wait')).exitCode).toBe(6)
    const cancelled = await fixture.drydock('cancel', run, '--json')
    expect(resultOf(cancelled)).toMatchObject({ status: 'CANCELLED', stories: [{ state: 'CANCELLED' }] })
    const { data } = await read(fixture, async (records) => (await records.machine(run)) as Run)
    expect(data).toMatchObject({ rest: null, budget: { runUsd: 21 } })
    expect(
      resultOf(await fixture.drydock('retry', run, '--json', '--model', await fixture.replay(retried))),
    ).toMatchObject({
      status: 'DONE',
    })
  })
})

const retried = Object.fromEntries(
  Object.entries(greenLanes).map(([lane, turns]) => [lane.replace('task', 'task@2'), turns]),
)

describe('a crew that is paused by hand', () => {
  const lanes: Lanes = { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') }

  test('is PAUSED wherever it is, with its stories, and loses and doubles nothing', async () => {
    fixture = await createFixture({ steps: [alwaysGreen] })
    const run = await storedSpec(fixture, lanes)
    const crew = crewOf(fixture, run)
    const places: readonly (readonly ['run' | 'story', string])[] = [
      ...['SCOPING', 'STORY_GENERATION'].map((state) => ['run', state] as const),
      ...['SETUP', 'PLANNING', 'PLAN_REVIEW', 'CODING', 'VERIFYING', 'CODE_REVIEW', 'MERGING'].map(
        (state) => ['story', state] as const,
      ),
    ]
    const seen = new Set<unknown>()
    for (const place of places) {
      await interruptWhen(fixture, run, machineIn(...place), 1)
      expect(await pauseHere(run), place.join(' ')).toBe(6)
      const { state, data } = await crew.machine()
      expect(state).toBe('PAUSED')
      expect(await read(fixture, (records) => records.isIdle(run))).toBe(true)
      expect(await read(fixture, (records) => records.machines({ kind: 'merge', run, states: ['MERGING'] }))).toEqual(
        [],
      )
      seen.add(data.stoppedIn)
      for (const story of await read(fixture, (records) => records.machines({ kind: 'story', run }))) {
        expect(['QUEUED', 'PAUSED', 'DONE']).toContain(story.state)
        seen.add((story as Story).data.pausedIn)
      }
      await resumeLater(run)
    }
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'SCOPING',
        'STORY_GENERATION',
        'MONITORING',
        'PLANNING',
        'CODING',
        'VERIFYING',
        'MERGING',
      ]),
    )
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
    const made = await calls(run)
    expect(made).toHaveLength(Object.values(lanes).flat().length)
    expect(new Set(made).size).toBe(made.length)
    expect(await fixture.git('rev-list', '--count', 'main..drydock/make-the-files')).toBe('2')
  })

  test('takes an answer, and continues with it only when it is resumed', async () => {
    fixture = await createFixture({ steps: [alwaysGreen] })
    const run = await storedSpec(fixture, {
      ...lanes,
      'architect/REQUEST/plan/one/1': [reject()],
      'editor/one@2/PLANNING': lanes['editor/one/PLANNING'] ?? [],
      'editor/one@2/CODING': lanes['editor/one/CODING'] ?? [],
      'architect/REQUEST/plan/one@2/1': lanes['architect/REQUEST/plan/one/1'] ?? [],
      'architect/REQUEST/code/one@2/1': lanes['architect/REQUEST/code/one/1'] ?? [],
    })
    const crew = crewOf(fixture, run)
    await interruptWhen(fixture, run, machineIn('story', 'REJECTED'), 1)
    expect(await pauseHere(run)).toBe(6)
    const before = await calls(run)
    await say(fixture, crew, { story: 'one', text: 'retry Do it.' })
    const twice = await fixture.drydock('reply', '1', 'retry Do it.')
    expect(twice).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Message 1 already has an answer.') })
    const other = await fixture.drydock('verify', '--json')
    expect(resultOf(other)).toMatchObject({ status: 'PASS' })
    expect(await calls(run)).toEqual(before)
    expect((await crew.machine()).state).toBe('PAUSED')
    expect((await crew.story('one')).state).toBe('QUEUED')
    const done = await fixture.drydock('resume', run, '--json', '--no-wait')
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
  })

  test('that waits for a human waits for both', async () => {
    fixture = await createFixture({ steps: [alwaysGreen] })
    const run = await storedSpec(fixture, {
      ...lanes,
      'architect/SCOPING': [stuckTurn, ...(lanes['architect/SCOPING'] ?? [])],
    })
    const crew = crewOf(fixture, run)
    expect((await fixture.drydock('resume', '--no-wait', '--json')).exitCode).toBe(6)
    expect((await fixture.drydock('pause', run)).stdout).toContain('Recorded. No process works on it now')
    expect((await fixture.drydock('status', run)).stdout).toContain(`${run}: It was paused by hand.`)
    await fixture.drydock('verify', '--json')
    expect((await crew.machine()).data).toMatchObject({ stoppedIn: 'ESCALATED', origin: 'SCOPING' })
    await say(fixture, crew, { story: null, text: 'Just say it.' })
    await fixture.drydock('verify', '--json')
    expect((await crew.machine()).data).toMatchObject({ stoppedIn: 'SCOPING', escalation: null })
    const done = await fixture.drydock('resume', run, '--json', '--no-wait')
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
  })

  test('comes to rest at the next start when its process ended after the last step and before that', async () => {
    fixture = await createFixture({ steps: [alwaysGreen] })
    const run = await storedSpec(fixture, {
      ...specLanes('one'),
      ...greenStory('one'),
      'architect/SCOPING': [stuckTurn],
    })
    await fixture.drydock('resume', '--no-wait', '--json')
    const set = `update machines set data = json_set(data, '$.held', json('[]')) where id = ?`
    expect(await fixture.changeRows(set, run)).toBe(1)
    await fixture.drydock('verify', '--json')
    const { state, data } = await crewOf(fixture, run).machine()
    expect({ state, rest: data.rest, stoppedIn: data.stoppedIn }).toEqual({
      state: 'PAUSED',
      rest: { because: 'user', since: null, machines: [] },
      stoppedIn: 'ESCALATED',
    })
  })
})
