import { watch } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Door, doorFile } from '../../src/cli/door/door-file.ts'
import { createFixture, type Fixture, resultOf } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, gateReached, launch, type Running } from '../scenarios/world/process.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Running =>
  launch([...args, '--repo', fixture.repo], { env: { ...fixture.env, ...env } })

/** `drydock serve`, once it accepts commands. */
async function serve(): Promise<Running> {
  const serving = start(['serve', '--port', '0'])
  await serving.line(/#token=/)
  const { state } = await fixture.open()
  const seen = Promise.withResolvers<void>()
  const look = async () => {
    if ((await readDoor()) !== null) seen.resolve()
  }
  const watcher = watch(state, look)
  await look()
  await seen.promise
  watcher.close()
  return serving
}

const doorPath = async () => join((await fixture.open()).state, doorFile)

async function readDoor(): Promise<Door | null> {
  return readFile(await doorPath(), 'utf8').then(JSON.parse, () => null)
}

async function task(lanes: Parameters<Fixture['replay']>[0], ...more: string[]): Promise<Running> {
  return start(['task', 'say new', '--json', '--model', await fixture.replay(lanes), ...more])
}

/** True if the process has opened the state itself. */
async function hasState({ pid }: Running): Promise<boolean> {
  const files = (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''))
  return (await Promise.all(files)).some((file) => /drydock\.db/.test(file))
}

/** The task waits inside a command. */
async function gated(running: Running) {
  await running.line(gateReached)
  return findGate((await fixture.open()).workTrees.path('coder-001'))
}

test('a task is done by the process that serves the repository, and stays there when its own is killed', async () => {
  const serving = await serve()
  const working = await task(gatedLanes)
  const gate = await gated(working)
  expect(await hasState(working)).toBe(false)
  const second = start(['task', 'say new', '--model', 'anthropic:some-model', '--json'])
  expect(await second.ended).toMatchObject({ exitCode: 2, events: [{ type: 'error', code: 'no_key' }] })

  working.child.kill('SIGKILL')
  await working.ended
  const watching = start(['watch', '--json'])
  await gate.open()
  expect(resultOf(await watching.ended).status).toBe('DONE')
  serving.child.kill('SIGINT')
  expect(await serving.ended).toMatchObject({ exitCode: 130 })
  expect(await readDoor()).toBeNull()
})
