import { expect, test } from 'vitest'
import { greenLanes } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, launch } from '../scenarios/world/process.ts'
import { ask } from '../server/browser.ts'
import { wayTo } from './cut-connection.ts'
import { createHubAndClone, freePort, type HubAndClone } from './hub-and-clone.ts'

/** A client's task in a separate process, whose run waits inside a command at the hub. */
async function startGated({ clone, env, fixture }: Pick<HubAndClone, 'clone' | 'env' | 'fixture'>) {
  const running = launch(['task', 'say new', '--repo', clone], { env })
  const run = (await running.line(/^run say-new-/)).replace('run ', '')
  await running.line(/CODING/)
  const { workTrees } = await fixture.open()
  return { ...running, run, gate: await findGate(workTrees.path('coder-001')) }
}

test('a connection that is cut again and again loses nothing', async () => {
  const port = await freePort()
  const way = await wayTo(port)
  const world = await createHubAndClone((at) => at.replay(gatedLanes), { args: ['--behind-proxy', way.url], port })
  const task = await startGated(world)
  for (let i = 0; i < 3; i += 1) {
    const used = way.used()
    way.cut()
    await used
  }
  way.block()
  await task.line(/cannot be reached/)
  await task.gate.open()
  way.mend()
  const { exitCode, stderr } = await task.ended
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/ {2}VERIFYING\n(.*\n)* .*PASS.*\n.*DONE\n/)])
  expect(await world.git('show', 'drydock/say-new:value.txt')).toBe('new')
})

test('Ctrl-C leaves the run to the hub, and watching it ends with the branch', async () => {
  const world = await createHubAndClone((at) => at.replay(gatedLanes))
  const task = await startGated(world)
  task.child.kill('SIGINT')
  const left = await task.ended
  expect([left.exitCode, left.stderr]).toEqual([
    130,
    expect.stringContaining(`drydock watch ${task.run} --hub ${world.url}`),
  ])
  expect((await world.client('status', task.run, '--json')).events).toMatchObject([{ state: 'MONITORING' }])
  const watching = launch(['watch', task.run, '--repo', world.clone], { env: world.env })
  await watching.line(/CODING/)
  await task.gate.open()
  expect((await watching.ended).exitCode).toBe(0)
  expect(await world.git('show', 'drydock/say-new:value.txt')).toBe('new')
})

test('Ctrl-C ends the waiting for a hub that is away', async () => {
  const world = await createHubAndClone((at) => at.replay(gatedLanes))
  const task = await startGated(world)
  await world.kill()
  await task.line(/cannot be reached/)
  task.child.kill('SIGINT')
  const { exitCode, stderr } = await task.ended
  expect([exitCode, stderr]).toEqual([130, expect.stringContaining('The run goes on at the hub')])
})

test('a request that is sent again is the same command, and two clients are two', async () => {
  const world = await createHubAndClone((at) => at.replay(greenLanes))
  const headers = {
    Authorization: `Bearer ${world.env.DRYDOCK_HUB_TOKEN}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': 'one-and-the-same',
  }
  const body = JSON.stringify({ task: 'say new' })
  const send = (more = {}) => ask(world.port, '/api/tasks', { method: 'POST', headers: { ...headers, ...more }, body })
  const together = await Promise.all([send(), send(), send()])
  const runs = new Set([...together, await send()].map((answer) => JSON.parse(answer.body).run))
  expect([runs.size, [...runs][0]]).toEqual([1, expect.stringMatching(/^say-new-/)])
  expect((await send({ 'Idempotency-Key': 'x y' })).status).toBe(400)
  const eve = await world.token('eve', 'operator')
  const other = JSON.parse((await send({ Authorization: `Bearer ${eve}` })).body).run
  expect(runs).not.toContain(other)
  const clients = await Promise.all([world.client('watch', [...runs][0] as string), world.client('watch', other)])
  expect(clients.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  expect((await world.git('branch', '--list', 'drydock/*')).split('\n')).toHaveLength(2)
})
