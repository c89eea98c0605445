import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture, greenLanes } from '../scenarios/world/fixture.ts'
import { follow, processesOf } from '../scenarios/world/process.ts'
import { expectDone, follows, tasksOn, whole } from './processes-world.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

const { drydock, model, startGated, startGreen, history } = tasksOn(() => fixture)

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

describe('several processes on one repository', () => {
  test('wait for a stopped owner instead of stealing its work, and continue with it', async () => {
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
})

describe('a process that is told to stop', () => {
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
})

describe('several processes on one repository', () => {
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
})
