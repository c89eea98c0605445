import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createCrewFixture, greenStory, reply, stories } from '../scenarios/world/crew.ts'
import { greenLanes, runHere } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, launch } from '../scenarios/world/process.ts'
import { createHubAndClone } from './hub-and-clone.ts'

test('a run of a hub is paused, continued, talked to, given money and ended from the clone, by name', async () => {
  const world = await createHubAndClone((at) => at.replay(gatedLanes))
  const task = launch(['task', 'say new', '--repo', world.clone], { env: world.env })
  const run = (await task.line(/^run say-new-/)).replace('run ', '')
  await task.line(/CODING/)
  const { workTrees } = await world.fixture.open()
  const gate = await findGate(workTrees.path('coder-001'))
  const said = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await world.client(...args)
    return `${exitCode} ${stdout}${stderr}`
  }
  expect(await said('chat', '--post', 'Keep it short.')).toContain('0 ')
  expect(await said('chat')).toContain('human ada')
  expect(await said('budget', '--raise', '5')).toBe('0 Raised. Waiting work continues.\n')
  expect(await said('budget')).toContain('$25.00')
  expect(await said('pause', run)).toContain(`${run} is being paused`)
  await gate.open()
  await task.line(/paused by hand|PAUSED/i)
  expect(await said('pause', run)).toMatch(/^0 .*already/)
  expect(await said('resume')).toMatch(/^2 .*resume all runs of a hub.*drydock resume <run>/s)
  expect(await said('resume', run, '--model', 'anthropic:x')).toMatch(/^2 .*cannot be changed from here/)
  const resumed = await said('resume', run)
  expect(resumed).toMatch(/^0 .*Branch: {4}drydock\/say-new/s)
  expect((await task.ended).exitCode).toBe(0)
  expect(await said('cancel', run)).toContain(`${run} has already ended`)
  expect(await said('retry', run)).toContain('cannot be retried')
  for (const option of [['--config', 'x.json'], ['--max-coders', '2'], ['--sandbox', 'docker'], ['--apply']])
    expect(await said('task', 'say new', ...option)).toMatch(/^2 .*(the hub's to decide|with a hub yet)/)
})

test('a question of a spec is answered from the clone, and the spec again follows its run', async () => {
  const lanes = {
    'architect/SCOPING': [reply('A small repository.')],
    'architect/STORY_GENERATION': [stories('one')],
    ...greenStory('one'),
  }
  const world = await createHubAndClone((at) => at.replay(lanes), { create: createCrewFixture })
  const asked = await world.client('run', 'Make the files', '--review-stories', '--json')
  expect(asked.exitCode).toBe(6)
  const [{ escalations = [] } = {}] = asked.events.filter(({ type }) => type === 'waiting') as unknown as {
    escalations: { id: string }[]
  }[]
  const answered = await world.client('reply', escalations[0]?.id ?? '', 'approve')
  expect([answered.exitCode, answered.stderr]).toEqual([0, expect.any(String)])
  const again = await world.client('reply', escalations[0]?.id ?? '', 'approve')
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('already has an answer')])
  const watched = await world.client('run', 'Make the files')
  expect([watched.exitCode, watched.stderr]).toEqual([0, expect.stringContaining('DONE')])
  expect(await world.git('log', '--format=%s', 'HEAD..drydock/make-the-files')).toBe('Add one')
})

test('what is no hub, speaks another protocol, or names a branch of the user is refused', async () => {
  const world = await createHubAndClone((at) => at.replay(greenLanes))
  await world.client('task', 'say new')
  const main = await world.git('rev-parse', 'main')
  let change = (body: string) => body
  // Between the client and its hub, with the words of the hub.
  const between = createServer(async (asked, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of asked) chunks.push(chunk as Buffer)
    const { host: _, ...headers } = asked.headers as Record<string, string>
    const isPost = asked.method === 'POST'
    const response = await fetch(`${world.url}${asked.url}`, {
      ...{
        method: asked.method ?? 'GET',
        headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      },
      ...(isPost && { body: Buffer.concat(chunks) }),
    })
    if (asked.url?.startsWith('/api/events')) return void answer.writeHead(503).end()
    answer.writeHead(response.status, { 'content-type': 'application/json' }).end(change(await response.text()))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void between.close())
  await once(between, 'listening')
  const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
  const said = async (...args: string[]) => {
    const { exitCode, stderr } = await runHere([...args, '--hub', url, '--repo', world.clone], world.env)
    return `${exitCode} ${stderr}`
  }
  expect(await said('status')).toMatch(/^0 /)
  change = () => '<html>no hub</html>'
  expect(await said('status')).toMatch(/^4 .*does not answer as a hub/)
  change = (body) => body.replace('"protocol":1', '"protocol":2')
  expect(await said('status')).toMatch(/^2 .*speaks version 2 .*Update this Drydock/s)
  change = (body) => body.replaceAll('"drydock/say-new"', '"main"')
  expect(await said('watch', 'nobody')).toContain('There is no run')
  const [line] = (await world.client('status', '--json')).events as unknown as { run: string }[]
  expect(await said('watch', line?.run ?? '')).toMatch(/^4 .*names "main" as the branch of a run/s)
  change = (body) =>
    body.includes('protocol') ? body : '{"code":"not_found","message":"\u001b[31mred","todo":"\u001b]0;x\u0007"}'
  expect(await said('watch', line?.run ?? '')).not.toContain('\u001b')
  expect(await world.git('rev-parse', 'main')).toBe(main)
})
