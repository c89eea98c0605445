import { expect, test } from 'vitest'
import { workerProtocol } from '../../src/domain/worker/shared-state.ts'
import { greenStory, type Lanes, specLanes } from '../scenarios/world/crew.ts'
import { runHere } from '../scenarios/world/fixture.ts'
import { answerAs, resultOf, workerWorld } from './worker-world.ts'

const two: Lanes = { ...specLanes('alpha', 'beta'), ...greenStory('alpha'), ...greenStory('beta') }

const branch = 'drydock/make-the-files'

test('a run is built on two workers, whose tokens open nothing else, and its receipts are valid at the hub', async () => {
  const world = await workerWorld(two)
  expect((await world.asWorker('/api/worker')).status).toBe(200)
  expect((await world.asWorker('/api/runs')).status).toBe(403)
  expect((await world.ask('/api/worker')).status).toBe(403)
  const good = await world.forHub()
  expect(good).toMatchObject({ hub: { ok: true }, database: { ok: true }, 'git of hub': { ok: true } })
  const workers = [await world.worker('one', '--coders', '1'), await world.worker('two', '--coders', '1')]
  const run = await world.build()
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  const { fixture } = world
  for (const file of ['alpha', 'beta']) expect(await fixture.git('show', `${branch}:${file}.txt`)).toBe(file)
  for (const commit of [branch, `${branch}~1`]) {
    const verified = await fixture.drydock('receipt', 'verify', commit)
    expect(verified.exitCode, verified.stderr).toBe(0)
  }
  const { workers: shown } = await world.workers()
  expect(shown.map(({ name, slots }) => [name, slots.length])).toEqual([
    ['hub', 0],
    [expect.stringMatching(/^one-/), 1],
    [expect.stringMatching(/^two-/), 1],
  ])
  expect((await fixture.drydock('hub', 'workers')).stdout).toContain(workers[0]?.host)
  expect((await fixture.drydock('doctor')).stdout).toContain('the hub is running; workers: 2 working')
  const shared = JSON.parse((await world.asWorker('/api/worker')).body)
  const other = await answerAs({ ...shared, protocol: workerProtocol + 1, version: '99.0.0' })
  const refused = await (await world.tryWorker('old', {}, '--hub', other)).ended
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('Drydock 99.0.0')])
  expect(refused.stderr).toContain('Update the hub first')
  const [code, message, todo] = ['no_shared_state', 'The state of this hub is in a file.', 'Bring it to PostgreSQL.']
  const inFile = await answerAs({ code, message, todo }, 409)
  const told = await (await world.tryWorker('filed', {}, '--hub', inFile)).ended
  expect([told.exitCode, told.stderr]).toEqual([2, expect.stringContaining(message)])
  await world.fixture.drydock('hub', 'token', 'revoke', 'one')
  const revoked = await workers[0]?.ended
  expect(revoked?.stderr).toContain('does not take this token')
  expect(revoked?.exitCode).not.toBe(130)
}, 400_000)

test('the address of a hub is read by one rule, also by worker and doctor', async () => {
  const said = async (...args: readonly string[]) => {
    const { exitCode, stderr } = await runHere(args, {})
    return `${exitCode} ${stderr}`
  }
  for (const command of [
    ['worker', '--hub'],
    ['doctor', '--for-hub'],
  ]) {
    expect(await said(...command, 'https://hub.example.com/path')).toMatch(/^2 .*must be an origin/)
    expect(await said(...command, 'http://hub.example.com')).toMatch(/^2 .*in the clear/)
    expect(await said(...command, 'hub')).toMatch(/^2 .*must be an http or https URL/)
  }
  expect(await said('worker')).toMatch(/^2 .*Name the hub with --hub/)
})
