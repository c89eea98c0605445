import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture, type ProcessEnd, type Running } from '../world/fixture.ts'
import { call, greenLanes, resultOf, type Turns, write } from './world/fixture.ts'
import { expectDone, follows, tasksOn, whole } from './world/memory-processes.ts'
import { gatedLanes, gateReached } from './world/process.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

const { drydock, model, startGated, startGreen, events, history } = tasksOn(() => fixture)

type Gate = Awaited<ReturnType<Fixture['gate']>>

/** Calls of the model, as `lane turn`, each with whether it was answered. */
async function turnsOf(run: string): Promise<string[]> {
  const records = (await fixture.open()).openRecords()
  const calls = (await records?.modelCalls(run)) ?? []
  await records?.close()
  return calls.map(({ lane, turn, error }) => `${lane.slice(run.length + 1)} ${turn} ${error ?? 'ok'}`)
}

describe('several processes on one repository', () => {
  test('do their tasks strictly in their order with one slot, and each gets its own result', async () => {
    const first = await startGated()
    const second = await startGreen('second')
    await second.line(follows)
    const third = await startGreen('third')
    await third.line(follows)
    await first.gate.open()
    const ends = await Promise.all([first.ended, second.ended, third.ended])
    for (const end of ends) expectDone(end)
    expect(ends.map((end) => resultOf(end).branch)).toEqual(['drydock/first', 'drydock/second', 'drydock/third'])
    for (const end of ends) {
      const run = end.events[0]?.run
      expect(end.events.every((event) => event.run === run)).toBe(true)
    }
    const turns = (await events()).flatMap(({ run, type }) => (type === 'model_call' ? [run] : []))
    expect(turns.filter((run, at) => run !== turns[at - 1])).toEqual(['first', 'second', 'third'])
    // A slot becomes free one step before the end of its run.
    expect((await history()).toSorted()).toEqual([...whole('first'), ...whole('second'), ...whole('third')].toSorted())
  })

  test('outlive the owner: who follows takes over and finishes both tasks', async () => {
    const owner = await startGated()
    const follower = await startGreen('second')
    await follower.line(follows)
    owner.kill('SIGKILL')
    expect(await owner.ended).toMatchObject({ signal: 'SIGKILL' })
    expectDone(await follower.ended)
    expect(await history()).toEqual([...whole('first'), ...whole('second')])
    expect(await fixture.git('show', 'drydock/first:value.txt')).toBe('new')
    const again = await drydock('resume', owner.run, '--json').ended
    expectDone(again)
    expect(again.events.filter(({ type }) => type === 'result')).toHaveLength(1)
  })

  test('leave the work of a killed process: only resume, or its followers, continue it', async () => {
    const first = await startGated('--max-coders', '1')
    first.kill('SIGKILL')
    await first.ended
    const before = await turnsOf(first.run)
    const verified = await drydock('verify', 'HEAD', '--json').ended
    expect(resultOf(verified)).toMatchObject({ status: 'FAIL' })
    const other = await (await startGreen('other')).ended
    expectDone(other)
    expect(other.stderr).toContain(`Not continued, because nobody asked for it: ${first.run}.`)
    expect(await turnsOf(first.run)).toEqual(before)
    const cancelled = await drydock('cancel', other.events[0]?.run as string, '--json').ended
    expect(cancelled.exitCode).toBe(0)
    expect((await drydock('status', first.run, '--json').ended).events).toMatchObject([{ state: 'INTERRUPTED' }])
    await fixture.replay(gatedLanes)
    const resumed = drydock('resume', '--json')
    await resumed.line(/"editor\/task\/CODING","turn":2/)
    expectDone(await resumed.ended)
  })

  test('read the state beside its owner', async () => {
    const owner = await startGated()
    const watching = drydock('watch', '--json')
    await watching.line(gateReached)
    const { exitCode, stdout } = await drydock('status').ended
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(new RegExp(`^${owner.run} +CODING 1/12 +0 +\\$0 +first$`, 'm'))
    expect((await drydock('status', owner.run, '--json').ended).events).toMatchObject([{ run: owner.run, attempt: 1 }])
    expect((await drydock('log').ended).stdout).toMatch(/PLANNING\n/)
    expect(await drydock('diff').ended).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'Nothing has changed so far.\n',
    })
    expect((await drydock('report').ended).stdout).toContain('There is no report yet')
    await owner.gate.open()
    expectDone(await owner.ended)
    expectDone(await watching.ended)
    expect((await watching.ended).events).toEqual((await owner.ended).events)
    expect((await drydock('diff', owner.run).ended).stdout).toContain('-old\n+new')
    expect((await drydock('report').ended).stdout).toContain('## Verified')
  })

  test('cancel each other’s work, which ends with exit code 5 and is kept', async () => {
    const owner = await startGated()
    const cancelled = await drydock('cancel', '--json').ended
    const ended = await owner.ended
    expect(ended.exitCode).toBe(5)
    expect(resultOf(ended)).toMatchObject({ status: 'CANCELLED', branch: null })
    expect(resultOf(cancelled)).toMatchObject({ status: 'CANCELLED', run: owner.run })
    expectDone(await drydock('retry', owner.run, '--json', '--model', await model(retried(greenLanes))).ended)
  })
})

const retried = (lanes: Readonly<Record<string, Turns>>) =>
  Object.fromEntries(Object.entries(lanes).map(([lane, turns]) => [lane.replace('/task/', '/task@2/'), turns]))

describe('a process that is told to stop', () => {
  test('with Ctrl-C ends the running step, leaves the run paused and nothing running, and is resumed to its end', async () => {
    const first = await startGated()
    first.kill('SIGINT')
    const stopped = await expectStopped(first)
    expect(resultOf(stopped)).toMatchObject({ status: 'PAUSED', paused_by: 'user', run: first.run })
    expect(await turnsOf(first.run)).toEqual(['editor/task/PLANNING 0 ok', 'editor/task/CODING 0 ok'])
    expect((await drydock('status').ended).stdout).toMatch(/PAUSED[\s\S]*drydock resume/)
    expectDone(await drydock('resume', '--json').ended)
    expect(await turnsOf(first.run)).toHaveLength(4)
  })

  test.each([
    ['SIGTERM', 'It was paused because its process was told to end (SIGTERM).'],
    ['SIGHUP', 'It was paused because its terminal was closed (SIGHUP).'],
    ['SIGINT', 'It was paused by Ctrl-C in its terminal.'],
  ] as const)('with %s does the same, and no view says that a person did it', async (signal, sentence) => {
    const first = await startGated()
    first.kill(signal)
    await expectStopped(first)
    const { events } = await drydock('status', '--json').ended
    expect(events).toMatchObject([{ state: 'PAUSED', paused_by: 'user', outcome: { sentence } }])
    expect((await drydock('status').ended).stdout).toContain(`${first.run}: ${sentence} Continue with:`)
    expect((await drydock('watch', '--no-wait').ended).stdout).toContain(`PAUSED. ${sentence}`)
    const how = sentence.slice('It was paused '.length, -1)
    expect((await drydock('report').ended).stdout).toContain(` is PAUSED ${how}.`)
    expect((await drydock('pause', first.run).ended).stdout).toContain(`is already PAUSED ${how}.`)
  })

  test('with Ctrl-C and killed right after stays paused: no other command continues it', async () => {
    const first = await startGated()
    first.kill('SIGINT')
    await first.line(/"type":"paused"/)
    first.kill('SIGKILL')
    await first.ended
    const before = await turnsOf(first.run)
    expect((await drydock('verify', 'HEAD', '--json').ended).exitCode).toBe(3)
    const other = await startGreen('other')
    expectDone(await other.ended)
    expect((await other.ended).stderr).not.toContain(first.run)
    expect(await turnsOf(first.run)).toEqual(before)
  })

  test('with Ctrl-C is not taken over by a terminal that follows another run, whose work continues', async () => {
    const owner = await startGated('--max-coders', '1')
    const follower = await startGreen('second')
    await follower.line(follows)
    const watching = drydock('watch', owner.run, '--no-wait')
    await watching.line(/CODING/)
    owner.kill('SIGINT')
    await owner.line(/"type":"paused"/)
    await owner.gate.open()
    expect(await owner.ended).toMatchObject({ exitCode: 130 })
    expectDone(await follower.ended)
    expect(await watching.ended).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('by Ctrl-C') })
    expect(await turnsOf(owner.run)).toEqual(['editor/task/PLANNING 0 ok', 'editor/task/CODING 0 ok'])
  })

  async function expectStopped({ ended, line, gate }: Running & { readonly gate: Gate }): Promise<ProcessEnd> {
    await line(/"type":"paused"/)
    await gate.open()
    const stopped = await ended
    expect(stopped).toMatchObject({ exitCode: 130, signal: null })
    expect(stopped.stderr).toContain('Continue with: drydock resume')
    const last = JSON.parse(stopped.stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>
    expect(last).toMatchObject({
      type: 'result',
      run: expect.any(String),
      branch: null,
      stories: [{ id: 'task' }],
      status: expect.stringMatching(/^(?:INTERRUPTED|PAUSED)$/),
      outcome: { code: last.status, tone: 'waiting' },
    })
    return stopped
  }

  test('keeps on a hidden ref what its workspace held', async () => {
    const lanes = {
      ...gatedLanes,
      'editor/task/CODING': [write('half\n'), ...(gatedLanes['editor/task/CODING'] ?? [])],
    }
    const running = drydock('task', 'first', '--json', '--model', await model(lanes))
    await running.line(/"model_call".*CODING","turn":1/)
    const gate = await fixture.gate()
    running.kill('SIGINT')
    await running.line(/"type":"paused"/)
    await gate.open()
    await running.ended
    expect((await drydock('diff').ended).stdout).toContain('-old\n+half')
  })

  test('while it only follows pauses its own runs, and leaves those that it watches', async () => {
    const owner = await startGated()
    const watching = drydock('watch')
    await watching.line(/CODING/)
    const follower = await startGreen('second')
    await follower.line(follows)
    for (const [looker, words] of [
      [watching, 'No longer watching'],
      [follower, 'No longer following'],
    ] as const) {
      looker.kill('SIGINT')
      const ended = await looker.ended
      expect(ended.exitCode).toBe(130)
      expect(ended.stderr).toContain(words)
    }
    await owner.gate.open()
    expectDone(await owner.ended)
    expect((await drydock('status', '--json').ended).events).toMatchObject([{ state: 'DONE' }, { state: 'PAUSED' }])
    expectDone(await drydock('resume', '--json').ended)
  })
})

describe('resume', () => {
  test('with nothing to do repeats the last result and its exit code', async () => {
    const look = call('list_files', { pattern: '*' })
    const stuck = await drydock(
      'task',
      'first',
      '--json',
      '--model',
      await model({ 'editor/task/PLANNING': Array(5).fill(look) }),
    ).ended
    expect(stuck.exitCode, stuck.stderr).toBe(3)
    const again = await drydock('resume', '--json').ended
    expect(again.exitCode).toBe(3)
    expect(resultOf(again)).toEqual(resultOf(stuck))
    const words = await drydock('resume').ended
    expect(words.exitCode).toBe(3)
    expect(words.stderr).toContain('No run is unfinished')
    expect(words.stdout).toContain('drydock retry')
  })
})

describe('without a terminal', () => {
  test('--json prints one event a line: the Run before any model is asked, the result at the end', async () => {
    const ended = await (await startGreen('first')).ended
    expectDone(ended)
    const lines = ended.stdout.trimEnd().split('\n')
    const events = lines.map((line) => JSON.parse(line))
    expect(events[0]).toMatchObject({ type: 'run', kind: 'task', title: 'first' })
    expect(events.findIndex(({ type }) => type === 'model_call')).toBeGreaterThan(0)
    expect(events.filter(({ type }) => type === 'result')).toEqual([events.at(-1)])
    expect(ended.stdout).not.toContain('\u001b')
    expect(ended.stderr).not.toContain('\u001b')
  })
})
