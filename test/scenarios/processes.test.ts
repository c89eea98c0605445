import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call, createFixture, type Fixture, greenLanes, resultOf, type Turns, write } from './fixture.ts'
import { type Ended, findGate, follow, gatedLanes, gateReached, launch, processesOf, type Running } from './process.ts'

const follows = /Another drydock process does this repository’s work; following it/

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

let files = 0

/** Writes a replay file of its own for each task. */
async function model(lanes: Readonly<Record<string, Turns>>): Promise<string> {
  files += 1
  const file = join(fixture.folder, `replay-${files}.json`)
  await writeFile(file, JSON.stringify({ version: 1, lanes }))
  return `replay:${file}`
}

function drydock(...args: string[]): Running {
  return launch([...args, '--repo', fixture.repo], { env: fixture.env })
}

/** A task in a process of its own that waits inside a command. */
async function startGated(...args: string[]) {
  const running = drydock('task', 'first', '--json', '--model', await model(gatedLanes), '--max-coders', '1', ...args)
  const run = JSON.parse(await running.line(/"type":"run"/)).run as string
  await running.line(gateReached)
  const { workspaces } = await fixture.open()
  return { ...running, run, gate: await findGate(workspaces.path('coder-001')) }
}

async function startGreen(text: string): Promise<Running> {
  return drydock('task', text, '--json', '--model', await model(greenLanes), '--max-coders', '1')
}

/** Types of states and Runs in the order of the event log. */
async function history(): Promise<string[]> {
  const records = (await fixture.open()).openRecords()
  const events = (await records?.events({ after: 0, limit: 5_000 })) ?? []
  await records?.close()
  return events
    .filter(({ type }) => type === 'run_state' || type === 'result')
    .map(({ run, type, data }) => `${run.replace(/-\w+$/, '')} ${type === 'result' ? data.status : data.to}`)
}

const whole = (run: string) => [`${run} MONITORING`, `${run} DONE`, `${run} DONE`]

/** A run_command that was interrupted says so, and the lane goes on: its lanes are the same but for the result. */
function expectDone(ended: Ended): void {
  expect(ended.exitCode, ended.stderr).toBe(0)
  expect(resultOf(ended)).toMatchObject({ status: 'DONE' })
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
    expect(await history()).toEqual([...whole('first'), ...whole('second'), ...whole('third')])
    expect(await processesOf(fixture.folder)).toEqual([])
  })

  test('outlive the owner: who follows takes over and finishes both tasks', async () => {
    const owner = await startGated()
    const follower = await startGreen('second')
    await follower.line(follows)
    owner.child.kill('SIGKILL')
    expect(await owner.ended).toMatchObject({ signal: 'SIGKILL' })
    expectDone(await follower.ended)
    expect(await history()).toEqual([...whole('first'), ...whole('second')])
    expect(await fixture.git('show', 'drydock/first:value.txt')).toBe('new')
    const again = await drydock('resume', owner.run, '--json').ended
    expectDone(again)
    expect(again.events.filter(({ type }) => type === 'result')).toHaveLength(1)
  })

  test('wait for an owner that is stopped instead of stealing its work, and go on with it', async () => {
    const owner = await startGated()
    owner.child.kill('SIGSTOP')
    const follower = await startGreen('second')
    await follower.line(follows)
    const status = await drydock('status', '--json').ended
    expect(status.events).toMatchObject([{ run: owner.run, state: 'MONITORING', story: 'CODING' }])
    owner.child.kill('SIGCONT')
    await owner.gate.open()
    expectDone(await owner.ended)
    expectDone(await follower.ended)
    expect(await history()).toEqual([...whole('first'), ...whole('second')])
  })

  test('find each other also below a state whose path is too long for a socket', async () => {
    const home = join(fixture.folder, ...Array.from({ length: 8 }, () => 'a-folder-with-a-long-name'))
    fixture = { ...fixture, env: { ...fixture.env, DRYDOCK_HOME: home }, open: () => openAt(home) }
    const owner = await startGated()
    const follower = await startGreen('second')
    await follower.line(follows)
    await owner.gate.open()
    expectDone(await owner.ended)
    expectDone(await follower.ended)
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
      stderr: 'Nothing is changed so far.\n',
    })
    expect((await drydock('report').ended).stdout).toContain('there is no report yet')
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
    expect(await processesOf(fixture.folder)).toEqual([])
    expectDone(await drydock('retry', '--json', '--model', await model(retried(greenLanes))).ended)
  })
})

const retried = (lanes: Readonly<Record<string, Turns>>) =>
  Object.fromEntries(Object.entries(lanes).map(([lane, turns]) => [lane.replace('/task/', '/task@2/'), turns]))

async function openAt(home: string) {
  const { openDrydock } = await import('../../src/compose.ts')
  return openDrydock({ directory: fixture.repo, env: { ...fixture.env, DRYDOCK_HOME: home } })
}

describe('a process that is told to stop', () => {
  test('with Ctrl-C ends with 130, says how to go on, leaves nothing running, and is resumed to its end', async () => {
    const first = await startGated()
    first.child.kill('SIGINT')
    await expectStopped(first)
    expect((await drydock('status').ended).stdout).toMatch(/INTERRUPTED[\s\S]*drydock resume/)
    expectDone(await drydock('resume', '--json').ended)
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)('with %s does the same', async (signal) => {
    const first = await startGated()
    first.child.kill(signal)
    await expectStopped(first)
  })

  async function expectStopped({ ended }: Running): Promise<void> {
    const stopped = await ended
    expect(stopped).toMatchObject({ exitCode: 130, signal: null })
    expect(stopped.stderr).toContain('Go on with: drydock resume')
    expect(await processesOf(fixture.folder)).toEqual([])
  }

  test('keeps on a hidden ref what its workspace held', async () => {
    const lanes = {
      ...gatedLanes,
      'editor/task/CODING': [write('half\n'), ...(gatedLanes['editor/task/CODING'] ?? [])],
    }
    const running = drydock('task', 'first', '--json', '--model', await model(lanes))
    await running.line(/"model_call".*CODING","turn":1/)
    const { workspaces } = await fixture.open()
    await findGate(workspaces.path('coder-001'))
    running.child.kill('SIGINT')
    await running.ended
    expect((await drydock('diff').ended).stdout).toContain('-old\n+half')
  })

  test('twice stops at once, even while it cannot write, and nothing is lost', async () => {
    const first = await startGated()
    const { state } = await fixture.open()
    const blocker = new DatabaseSync(join(state, 'drydock.db'))
    blocker.exec('begin immediate')
    first.child.kill('SIGINT')
    await first.line(/Stopping/)
    first.child.kill('SIGINT')
    expect(await first.ended).toMatchObject({ exitCode: 130, signal: null })
    blocker.exec('rollback')
    blocker.close()
    await expect.poll(() => processesOf(fixture.folder)).toEqual([])
    expectDone(await drydock('resume', '--json').ended)
  })

  test('while it only follows leaves the work to its owner', async () => {
    const owner = await startGated()
    const watching = drydock('watch')
    await watching.line(/CODING/)
    const follower = await startGreen('second')
    await follower.line(follows)
    for (const [looker, words] of [
      [watching, 'No longer watching'],
      [follower, 'No longer following'],
    ] as const) {
      looker.child.kill('SIGINT')
      const ended = await looker.ended
      expect(ended.exitCode).toBe(130)
      expect(ended.stderr).toContain(words)
    }
    await owner.gate.open()
    expectDone(await owner.ended)
    expectDone(await drydock('resume', '--json').ended)
    expect(await history()).toEqual([...whole('first'), ...whole('second')])
  })

  test('is one whose reader has gone, too', async () => {
    const args = ['task', 'first', '--json', '--model', await model(greenLanes), '--repo', fixture.repo]
    const bin = fileURLToPath(new URL('../../bin/drydock', import.meta.url))
    const script = '{ "$@"; echo "exit $?" >&2; } | head -n 1'
    const shell = follow(
      spawn('sh', ['-c', script, 'sh', bin, ...args], { env: fixture.env, stdio: ['ignore', 'pipe', 'pipe'] }),
    )
    const ended = await shell.ended
    expect(ended.stdout.split('\n')).toEqual([expect.stringContaining('"type":"run"'), ''])
    expect(ended.stderr).toMatch(/Go on with: drydock resume[\s\S]*exit 130/)
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
    expect(words.stderr).toContain('Nothing is unfinished')
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

  test('nothing prompts: a closed stdin changes nothing', async () => {
    const bin = fileURLToPath(new URL('../../bin/drydock', import.meta.url))
    const args = ['task', 'first', '--json', '--model', await model(greenLanes), '--repo', fixture.repo]
    const shell = spawn('sh', ['-c', 'exec "$@" <&-', 'sh', bin, ...args], {
      ...{ env: fixture.env, stdio: ['ignore', 'pipe', 'pipe'] },
    })
    expectDone(await follow(shell).ended)
  })
})

test('a state that cannot be used is an error, and the process ends', async () => {
  const { state } = await fixture.open()
  await mkdir(state, { recursive: true })
  await writeFile(join(state, 'workspaces'), 'in the way')
  const ended = await (await startGreen('first')).ended
  expect(ended.exitCode).not.toBe(0)
  expect(ended.events.at(-1)).toMatchObject({ type: 'error' })
})
