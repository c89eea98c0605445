import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launch } from '../scenarios/world/process.ts'
import { ask, followStream } from '../server/browser.ts'
import { reachGate, resultOf, type WorkerWorld, waitingLanes, workerWorld } from './worker-world.ts'

const serving = /^https?:\/\/\S+$/

/** A second hub on the state of the first. */
async function standbyOf(world: WorkerWorld) {
  const hub = world.tryHub('--listen', '127.0.0.1:0')
  const url = await hub.line(serving)
  await hub.line(/is on standby, and takes over/)
  return { hub, url, port: Number(new URL(url).port) }
}

/** A clone whose user knows several addresses of the hub. */
function clientOf({ fixture, token }: WorkerWorld, urls: string) {
  const home = join(fixture.folder, 'elsewhere')
  const clone = join(home, 'clone')
  mkdirSync(home, { recursive: true })
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    DRYDOCK_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    NODE_COMPILE_CACHE: fixture.env.NODE_COMPILE_CACHE ?? '',
    DRYDOCK_HUB_URL: urls,
    DRYDOCK_HUB_TOKEN: token,
  }
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { env })
  git('clone', '-q', fixture.repo, clone)
  git('-C', clone, 'config', 'user.name', 'Client')
  git('-C', clone, 'config', 'user.email', 'client@localhost')
  return launch(['run', 'Make the files', '--json', '--repo', clone], { env })
}

const ready = async (port: number) => {
  const { status, body } = await ask(port, '/health/ready')
  return [status, JSON.parse(body).status]
}

test('a second hub takes over from a killed one: workers and clients continue with it', async () => {
  const world = await workerWorld(waitingLanes)
  const second = await standbyOf(world)
  const first = `http://127.0.0.1:${world.port}`
  const headers = { Authorization: `Bearer ${world.token}` }
  expect([await ready(world.port), await ready(second.port)]).toEqual([
    [200, 'ready'],
    [503, 'standby'],
  ])
  expect((await ask(second.port, '/health/live')).status).toBe(200)
  const refused = await ask(second.port, '/api/runs', { headers })
  expect([refused.status, JSON.parse(refused.body)]).toEqual([
    503,
    expect.objectContaining({ code: 'hub_standby', message: expect.stringContaining(first) }),
  ])

  const urls = `${second.url},${first}`
  const one = await world.worker('one', '--coders', '1', '--hub', urls)
  const client = clientOf(world, urls)
  const gate = await reachGate(one)
  const killed = Date.now()
  world.hub.child.kill('SIGKILL')
  await world.hub.ended
  await gate.open()
  await second.hub.line(/This hub is the active one now/)
  const stream = await followStream(second.port, '/api/events?after=0', headers)
  const next = await stream.until(({ type, at }) => type === 'model_call' && Date.parse(at) > killed)
  const tookMs = Date.parse(next.at) - killed
  console.log(`from the death of the hub to the next answer of a model: ${tookMs / 1_000} s`)
  expect(tookMs).toBeLessThan(15_000)
  const ended = await client.ended
  expect([ended.exitCode, ended.stderr]).toEqual([0, expect.not.stringContaining('revoked')])
  const run = String(ended.events[0]?.run)
  expect(await resultOf({ stream }, run)).toMatchObject({ status: 'DONE' })
  expect(await ready(second.port)).toEqual([200, 'ready'])

  // The first hub is started again, and is the standby from now on.
  const again = world.tryHub()
  await again.line(/is on standby, and takes over/)
  expect(await ready(world.port)).toEqual([503, 'standby'])
  second.hub.child.kill('SIGTERM')
  await again.line(/This hub is the active one now/)
  // A hub checks itself once a second.
  await expect.poll(() => ready(world.port)).toEqual([200, 'ready'])
})
