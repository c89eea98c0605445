import { execFile } from 'node:child_process'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase } from '../postgres/server.ts'
import { createFixture, type Fixture, greenLanes, resultOf, runHere } from './world/fixture.ts'
import { findGate, gatedLanes, gateReached, launch } from './world/process.ts'

const scripts = fileURLToPath(new URL('../../deploy', import.meta.url))

let fixture: Fixture
let elsewhere: Readonly<Record<string, string>>
beforeEach(() => {
  elsewhere = {}
})
afterEach(() => fixture.remove())

const run = (script: string, ...args: string[]) =>
  promisify(execFile)(join(scripts, script), args, { env: { ...fixture.env, ...elsewhere, PATH: process.env.PATH } })

/** A run that waits for a command in the middle of its work. */
async function underWay() {
  const running = launch(
    ['task', 'say new', '--repo', fixture.repo, '--json', '--model', await fixture.replay(gatedLanes)],
    {
      env: fixture.env,
    },
  )
  await running.line(gateReached)
  const { workTrees } = await fixture.open()
  await findGate(workTrees.path('coder-001'))
  return running
}

/** Simulates the loss of the machine with everything on it. */
async function lose(): Promise<void> {
  await rename(fixture.repo, `${fixture.repo}.lost`)
  await rename(join(fixture.folder, 'state'), join(fixture.folder, 'state.lost'))
}

async function goesOn(): Promise<void> {
  const drydock = (...args: string[]) => runHere([...args, '--repo', fixture.repo], { ...fixture.env, ...elsewhere })
  const done = await drydock('resume', '--json')
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  const before = await drydock('receipt', 'verify', 'drydock/first')
  expect(`${before.exitCode} ${before.stderr}`).toBe('0 ')
}

async function first(): Promise<void> {
  const done = await fixture.drydock('task', 'first', '--json', '--model', await fixture.replay(greenLanes))
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', branch: 'drydock/first' })
}

test('a backup of running work continues after the machine is lost, and old receipts stay valid', async () => {
  fixture = await createFixture()
  await first()
  const running = await underWay()
  const target = join(fixture.folder, 'backup')
  await run('backup.sh', fixture.repo, target)
  await expect(run('backup.sh', fixture.repo, target)).rejects.toThrow('is there already')
  expect((await stat(target)).mode & 0o077).toBe(0)
  running.child.kill('SIGKILL')
  await running.ended
  await expect(run('restore.sh', target)).rejects.toThrow('move it away first')
  await lose()
  await run('restore.sh', target)
  await goesOn()
})

test('the same with the rows on PostgreSQL, and then in another database', async () => {
  const [here, there] = [await createDatabase(), await createDatabase()]
  fixture = await createFixture({ env: { DRYDOCK_DATABASE_URL: here.url } })
  await first()
  const running = await underWay()
  const target = join(fixture.folder, 'backup')
  await run('backup.sh', fixture.repo, target)
  running.child.kill('SIGKILL')
  await running.ended
  await lose()
  here.drop()
  elsewhere = { DRYDOCK_DATABASE_URL: there.url }
  await run('restore.sh', target)
  await goesOn()
  there.drop()
})
