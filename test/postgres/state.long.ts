import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFixture, type Fixture, greenLanes, resultOf, runHere } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, gateReached, launch } from '../scenarios/world/process.ts'
import { createDatabase } from './server.ts'

const password = 'pa55word-of-app'

let fixture: Fixture
let database: Awaited<ReturnType<typeof createDatabase>>
let url: string
beforeEach(async () => {
  database = await createDatabase()
  url = database.url.replace('app@', `app:${password}@`)
})
afterEach(async () => {
  await fixture.remove()
  database.drop()
})

/** Runs on the same repository and state, with another environment. */
const on = (more: Readonly<Record<string, string>>, ...args: string[]) =>
  runHere([...args, '--repo', fixture.repo], { ...fixture.env, ...more })

test('a task whose state is on PostgreSQL ends with its branch, and nothing of the password is left anywhere', async () => {
  fixture = await createFixture()
  const config = join(fixture.env.XDG_CONFIG_HOME ?? '', 'drydock', 'config.json')
  await mkdir(dirname(config), { recursive: true })
  await writeFile(config, JSON.stringify({ state: { postgres: url } }))
  const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
  const said = [done, await fixture.drydock('status'), await fixture.drydock('log'), await fixture.drydock('doctor')]
  expect(said[1]?.stdout).toContain('drydock/say-new')
  expect(said[3]?.stdout).toMatch(
    /ok +state +PostgreSQL \d+\.\d+ at 127\.0\.0\.1:\d+\/test_\w+, schema drydock_repo_[0-9a-f]{12}/,
  )
  for (const { stdout, stderr } of said) expect(stdout + stderr).not.toContain(password)
  const { state } = await fixture.open()
  expect(await readdir(state)).not.toContain('drydock.db')
  expect(await readFile(join(state, 'postgres.json'), 'utf8')).not.toContain(password)
})

test('the tokens of a hub are kept on PostgreSQL as in a file, and go with a copy', async () => {
  fixture = await createFixture()
  const server = { DRYDOCK_DATABASE_URL: url }
  const add = (name: string) => ['hub', 'token', 'add', name, '--role', 'operator', '--json']
  expect((await fixture.drydock(...add('ada'))).exitCode).toBe(0)
  expect((await fixture.drydock('state', 'copy', '--to', url)).exitCode).toBe(0)
  expect((await on(server, ...add('eve'))).exitCode).toBe(0)
  const taken = await on(server, ...add('ada'))
  expect([taken.exitCode, taken.stderr]).toEqual([2, expect.stringContaining('already')])
  expect((await on(server, 'hub', 'token', 'revoke', 'ada')).exitCode).toBe(0)
  const { events } = await on(server, 'hub', 'token', 'list', '--json')
  expect(events).toMatchObject([{ name: 'eve', role: 'operator', expires_at: null, expired: false }])
})

test('a state is not copied while a process works on it, nor where there is none', async () => {
  fixture = await createFixture()
  const none = await fixture.drydock('state', 'copy', '--to', url)
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('no state yet')])
  const args = ['task', 'say new', '--json', '--model', await fixture.replay(gatedLanes), '--repo', fixture.repo]
  const running = launch(args, fixture)
  await running.line(gateReached)
  const gate = await findGate((await fixture.open()).workTrees.path('coder-001'))
  const refused = await fixture.drydock('state', 'copy', '--to', url)
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('Another drydock process')])
  await gate.open()
  expect((await running.ended).exitCode).toBe(0)
})

test('a state on PostgreSQL is not taken up by another folder', async () => {
  fixture = await createFixture({ env: { DRYDOCK_DATABASE_URL: url } })
  const model = await fixture.replay(greenLanes)
  expect((await fixture.drydock('task', 'say new', '--model', model)).exitCode).toBe(0)
  const elsewhere = { DRYDOCK_HOME: join(fixture.folder, 'another-state') }
  const refused = await on(elsewhere, 'task', 'say new', '--model', model)
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('belongs to another folder')])
  const { state } = await fixture.open()
  await writeFile(join(state, 'postgres.json'), '{"id":')
  const damaged = await fixture.drydock('status')
  expect([damaged.exitCode, damaged.stderr]).toEqual([2, expect.stringContaining('does not say where the state is')])
})
