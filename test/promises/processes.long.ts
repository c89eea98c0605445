import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture, greenLanes, resultOf, type Turns } from '../scenarios/world/fixture.ts'
import {
  type Ended,
  findGate,
  follow,
  gatedLanes,
  gateReached,
  launch,
  type Running,
} from '../scenarios/world/process.ts'

const follows = /Another drydock process works on this repository; following it/

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
  const { workTrees } = await fixture.open()
  return { ...running, run, gate: await findGate(workTrees.path('coder-001')) }
}

async function startGreen(text: string): Promise<Running> {
  return drydock('task', text, '--json', '--model', await model(greenLanes), '--max-coders', '1')
}

/**
 * A run_command that was interrupted says so, and the lane goes on: its lanes are the same but for
 * the result.
 */
function expectDone(ended: Ended): void {
  expect(ended.exitCode, ended.stderr).toBe(0)
  expect(resultOf(ended)).toMatchObject({ status: 'DONE' })
}

describe('several processes on one repository', () => {
  test('are told which process works on what they follow, and that it may be stopped when it says nothing', async () => {
    const owner = await startGated()
    owner.child.kill('SIGSTOP')
    const follower = await startGreen('second')
    expect(await follower.line(follows)).toContain(`Process ${owner.pid} works on second-`)
    expect(await follower.line(/has said nothing/)).toContain(`kill -CONT ${owner.pid}`)
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
})

async function openAt(home: string) {
  const { openDrydock } = await import('../../src/compose.ts')
  return openDrydock({ directory: fixture.repo, env: { ...fixture.env, DRYDOCK_HOME: home } })
}

describe('a process that is told to stop', () => {
  test('is one whose reader has gone, too', async () => {
    const args = ['task', 'first', '--json', '--model', await model(greenLanes), '--repo', fixture.repo]
    const bin = fileURLToPath(new URL('../../bin/drydock', import.meta.url))
    const script = '{ "$@"; echo "exit $?" >&2; } | head -n 1'
    const shell = follow(
      spawn('sh', ['-c', script, 'sh', bin, ...args], { env: fixture.env, stdio: ['ignore', 'pipe', 'pipe'] }),
    )
    const ended = await shell.ended
    expect(ended.stdout.split('\n')).toEqual([expect.stringContaining('"type":"run"'), ''])
    expect(ended.stderr).toMatch(/Continue with: drydock resume[\s\S]*exit 130/)
    expectDone(await drydock('resume', '--json').ended)
  })
})
