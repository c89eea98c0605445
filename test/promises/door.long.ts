import { watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Door, doorFile } from '../../src/cli/door/door-file.ts'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, gateReached, launch, type Running } from '../scenarios/world/process.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Running =>
  launch([...args, '--repo', fixture.repo], { env: { ...fixture.env, ...env } })

/** `drydock serve`, once it takes commands. */
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

/** It waits inside a command. */
async function gated(running: Running) {
  await running.line(gateReached)
  return findGate((await fixture.open()).workTrees.path('coder-001'))
}

test('Ctrl-C pauses a task that another process does', async () => {
  await serve()
  const working = await task(gatedLanes)
  const gate = await gated(working)
  working.child.kill('SIGINT')
  await working.line(/No longer following. The run is paused./)
  await gate.open()
  const ended = await working.ended
  expect(ended).toMatchObject({ exitCode: 130 })
  expect(ended.stderr).toContain('Continue with: drydock resume say-new-')
})
