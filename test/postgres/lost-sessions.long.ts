import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type WorkerWorld, workerWorld } from '../hub/worker-world.ts'
import { createCrewFixture, greenStory, type Lanes, specLanes } from '../scenarios/world/crew.ts'
import { type Fixture, resultOf } from '../scenarios/world/fixture.ts'
import { launch, type Running } from '../scenarios/world/process.ts'
import { startWireCrew, type WireCrew } from '../scenarios/world/wire-crew.ts'
import { endOne } from './end-session.ts'
import { createDatabase, makeServer, type PostgresServer } from './server.ts'

/** A separate server, since the tests stop it. */
let server: PostgresServer
let folder: string
let crew: WireCrew
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drydock-lost-'))
  chmodSync(folder, 0o755)
  server = await makeServer(join(folder, 'server'))
})
afterEach(async () => {
  await crew.close()
  await server.stop('SIGQUIT')
  rmSync(folder, { recursive: true, force: true })
})

const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta']
const lanes: Lanes = Object.assign(specLanes(...names), ...names.map((name) => greenStory(name)))

/** A provider that takes time for each answer, so that faults hit running calls. */
async function thinking(fixture: Fixture, ms: number): Promise<string> {
  crew = await startWireCrew(fixture, lanes, () => delay(ms, null))
  return crew.model
}

/** Follows a run of the hub from a clone, as a team member. */
function buildFromClone({ fixture, port, token }: WorkerWorld): Running {
  const home = join(fixture.folder, 'elsewhere')
  const clone = join(home, 'clone')
  mkdirSync(home, { recursive: true })
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    DRYDOCK_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    NODE_COMPILE_CACHE: fixture.env.NODE_COMPILE_CACHE ?? '',
    DRYDOCK_HUB_URL: `http://127.0.0.1:${port}`,
    DRYDOCK_HUB_TOKEN: token,
  }
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { env })
  git('clone', '-q', fixture.repo, clone)
  git('-C', clone, 'config', 'user.name', 'Client')
  git('-C', clone, 'config', 'user.email', 'client@localhost')
  return launch(['run', 'Make the files', '--json', '--repo', clone], { env })
}

interface Storm {
  /** Number of sessions to end, and the seconds of each later outage of the server. */
  readonly sessions: number
  readonly away: readonly number[]
}

/** Resolves when everything has happened, or when `over` does. */
async function storm(url: string, { sessions, away }: Storm, over: Promise<unknown>): Promise<number> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  over.then(end, end)
  let ended = 0
  for (const [i, seconds] of away.entries()) {
    while (!isOver && ended < sessions * (i + 1)) ended += await endOne(url)
    if (isOver) return ended
    await server.stop(i % 2 === 0 ? 'SIGQUIT' : 'SIGINT')
    await delay(seconds * 1_000)
    await server.start()
  }
  return ended
}

/** The stored calls, and the requested answers. */
async function calls({ fixture }: Pick<WorkerWorld, 'fixture'>, run: string) {
  const records = (await fixture.open()).openRecords()
  const [stored, spent] = [await records.modelCalls(run), await records.spent(run)]
  await records.close()
  return { stored: stored.length, asked: crew.heard.length, reserved: spent.reserved.tokens }
}

test.each([
  ['sessions that end in the middle of transactions, and a server that is away for 1 and 7 s', 400, 6, [1, 7]],
  ['a server that is away for longer than a worker may be silent', 3_000, 1, [40]],
  ['a server that is away for longer than a minute', 3_000, 1, [75]],
] as const)('%s stop no run of a hub, end no process, and cost no answer', async (_what, ms, sessions, away) => {
  const world = await workerWorld({}, { at: server, model: (fixture) => thinking(fixture, ms) })
  const workers = [await world.worker('one', '--coders', '2'), await world.worker('two', '--coders', '2')]
  const client = buildFromClone(world)
  if (away.some((seconds) => seconds > 60)) await client.line(/"model_call"/)
  const ended = await storm(world.database, { sessions, away }, client.ended)
  const done = await client.ended
  expect(done.exitCode, done.stderr).toBe(0)
  expect(resultOf(done)).toMatchObject({ status: 'DONE' })
  expect(ended).toBe(sessions * away.length)
  expect(done.events.filter(({ type }) => type === 'error')).toEqual([])
  const { stored, asked, reserved } = await calls(world, `${resultOf(done).run}`)
  expect({ asked, reserved }).toEqual({ asked: stored, reserved: 0 })
  for (const { child } of [world.hub, ...workers]) expect([child.exitCode, child.signalCode]).toEqual([null, null])
})

test.each([
  ['sessions that end in the middle of transactions, and a server that is away for 1 and 7 s', 400, 3, [1, 7]],
  ['a server that is away for longer than a minute', 3_000, 1, [75]],
] as const)('%s stop no run of one machine, and cost no answer', async (_what, ms, sessions, away) => {
  const database = await createDatabase(server)
  const fixture = await createCrewFixture({ env: { DRYDOCK_DATABASE_URL: database.url } })
  onTestFinished(() => fixture.remove())
  const model = await thinking(fixture, ms)
  const args = ['run', 'Make the files', '--json', '--max-coders', '2', '--model', model, '--repo', fixture.repo]
  const running = launch(args, { env: fixture.env })
  // A command that has just started waits for a minute at most.
  if (away.some((seconds) => seconds > 60)) await running.line(/"model_call"/)
  const ended = await storm(database.url, { sessions, away }, running.ended)
  const done = await running.ended
  expect(done.exitCode, done.stderr).toBe(0)
  expect(ended).toBe(sessions * away.length)
  const { stored, asked, reserved } = await calls({ fixture }, `${resultOf(done).run}`)
  expect({ asked, reserved }).toEqual({ asked: stored, reserved: 0 })
})
