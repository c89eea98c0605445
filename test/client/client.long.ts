import { once } from 'node:events'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createCrewFixture, greenStory, reply, stories } from '../scenarios/world/crew.ts'
import { greenLanes, runHere } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, launch } from '../scenarios/world/process.ts'
import { ask } from '../server/browser.ts'
import { createHubAndClone } from './hub-and-clone.ts'

const twiceGated = {
  ...gatedLanes,
  'editor/task/CODING': [gatedLanes['editor/task/CODING']?.[0] ?? {}, ...(gatedLanes['editor/task/CODING'] ?? [])],
}

test('a run of a hub is paused, continued, talked to and given money from the clone, and a hub that is killed meanwhile is waited for', async () => {
  const world = await createHubAndClone((at) => at.replay(twiceGated))
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
  // The hub checks the model, with the keys that it has.
  expect(await said('resume', run, '--model', 'anthropic:x')).toMatch(/^2 .*ANTHROPIC_API_KEY is not set/)
  const resuming = said('resume', run)
  await findGate(workTrees.path('coder-001'))
  await world.kill()
  await task.line(/cannot be reached: .*Its runs go on\. Trying again/)
  await world.begin()
  await task.line(/is there again/)
  const resumed = await resuming
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
  expect((await world.git('notes', '--ref', 'drydock', 'list')).split('\n')).toHaveLength(1)
  const same = await world.client('run', 'Make the files')
  expect([same.exitCode, same.stderr]).toEqual([0, expect.stringContaining('The same spec is already built')])
})

test('a hub is signed in to, and what is no hub, speaks another protocol, or names a branch of the user is refused', async () => {
  const world = await createHubAndClone((at) => at.replay(greenLanes))
  const { clone, env, url } = world
  const { DRYDOCK_HUB_TOKEN: ada = '', DRYDOCK_HUB_URL: __, ...bare } = env
  const login = async (given: string) => {
    const running = launch(['hub', 'login', url], { env: bare, stdin: given })
    const { exitCode, stdout, stderr } = await running.ended
    return { exitCode, stdout, said: stdout + stderr }
  }
  const wrong = await login(`drydock_hub_${'A'.repeat(43)}\n`)
  expect([wrong.exitCode, wrong.said]).toEqual([2, expect.stringContaining('does not know the token')])
  const signed = await login(`${ada}\n`)
  expect([signed.exitCode, signed.stdout]).toEqual([0, `Signed in to ${url} as ada (operator). The hub keeps repo.\n`])
  expect(wrong.said + signed.said).not.toContain(ada)
  const file = join(env.XDG_CONFIG_HOME ?? '', 'drydock', 'hub-tokens.json')
  expect([(await stat(file)).mode & 0o777, await readFile(file, 'utf8')]).toEqual([0o600, expect.stringContaining(ada)])
  const status = () => runHere(['status', '--hub', url, '--repo', clone], bare)
  expect((await status()).exitCode).toBe(0)
  await chmod(file, 0o644)
  const open = await status()
  expect([open.exitCode, open.stderr]).toEqual([2, expect.stringContaining(`chmod 600 ${file}`)])
  await chmod(file, 0o600)

  // The configuration names the hub of a repository; a command that only works locally does not use
  // it.
  await writeFile(
    join(env.XDG_CONFIG_HOME ?? '', 'drydock', 'config.json'),
    JSON.stringify({ hubs: { [clone]: { url } } }),
  )
  expect((await runHere(['status', '--repo', clone], bare)).exitCode).toBe(0)
  const alone = await runHere(['status', '--no-hub', '--repo', clone], bare)
  expect([alone.stdout, alone.stderr]).toEqual([expect.stringContaining('No runs yet'), ''])
  const told = `This command works on this clone, not at the hub ${url}.\n`
  for (const env of [bare, { ...bare, XDG_CONFIG_HOME: '/none', DRYDOCK_HUB_URL: url }])
    expect((await runHere(['gc', '--repo', clone], env)).stderr).toBe(told)
  const out = await runHere(['hub', 'logout', url], bare)
  expect([out.exitCode, await readFile(file, 'utf8')]).toEqual([0, '{}\n'])
  expect((await status()).exitCode).toBe(2)

  await world.git('checkout', '-q', '-b', 'drydock/say-new')
  await world.git('commit', '-q', '--allow-empty', '-m', 'my own')
  await world.git('checkout', '-q', 'main')
  const mine = await world.git('rev-parse', 'drydock/say-new')
  const send = (key: string) => {
    const headers = { Authorization: `Bearer ${ada}`, 'Content-Type': 'application/json', 'Idempotency-Key': key }
    return ask(world.port, '/api/tasks', { method: 'POST', headers, body: JSON.stringify({ task: 'say new' }) })
  }
  // A repeated request is the same command.
  const sent = [
    ...(await Promise.all([send('one-and-the-same'), send('one-and-the-same')])),
    await send('one-and-the-same'),
  ]
  const runs = new Set(sent.map((answer) => JSON.parse(answer.body).run as string))
  expect([runs.size, (await send('x y')).status]).toEqual([1, 400])
  const task = await world.client('watch', [...runs][0] ?? '')
  expect([task.exitCode, task.stderr]).toEqual([
    2,
    expect.stringContaining('which the result of the run does not contain'),
  ])
  expect(task.stdout).toContain('Outcome:   DONE')
  expect(await world.git('rev-parse', 'drydock/say-new')).toBe(mine)
  const [, keep = ''] = /another name: git (branch .*)/.exec(task.stderr) ?? []
  await world.git(...keep.split(' '))
  expect(await world.git('show', 'drydock/say-new-of-hub:value.txt')).toBe('new')
  const main = await world.git('rev-parse', 'main')
  let change = (body: string) => body
  // A server between client and hub, which passes on the hub's answers.
  const between = createServer(async (asked, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of asked) chunks.push(chunk as Buffer)
    const { host: _, ...headers } = asked.headers as Record<string, string>
    const isPost = asked.method === 'POST'
    const response = await fetch(`${world.url}${asked.url}`, {
      method: asked.method ?? 'GET',
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      ...(isPost && { body: Buffer.concat(chunks) }),
    })
    if (asked.url?.startsWith('/api/events')) return void answer.writeHead(503).end()
    answer.writeHead(response.status, { 'content-type': 'application/json' }).end(change(await response.text()))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void between.close())
  await once(between, 'listening')
  const elsewhere = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
  const said = async (...args: string[]) => {
    const { exitCode, stderr } = await runHere([...args, '--hub', elsewhere, '--repo', world.clone], world.env)
    return `${exitCode} ${stderr}`
  }
  expect(await said('status')).toMatch(/^0 /)
  change = () => '<html>no hub</html>'
  expect(await said('status')).toMatch(/^4 .*does not answer as a hub/)
  change = (body) => body.replace('"protocol":2', '"protocol":3')
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
