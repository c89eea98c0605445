import { once } from 'node:events'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hubClients } from '../../src/compose.ts'
import { recordQueries } from '../../src/domain/hub/record-queries.ts'
import type { Records } from '../../src/ports/store.ts'
import { greenLanes, runHere } from '../scenarios/world/fixture.ts'
import { queriesToAsk } from '../scenarios/world/paths-to-read.ts'
import { launch } from '../scenarios/world/process.ts'
import { ask } from '../server/browser.ts'
import { createHubAndClone } from './hub-and-clone.ts'

test('a task that a hub does ends in the clone as one that is done there; every row is that of the state, and who may not is told', async () => {
  const world = await createHubAndClone((at) => at.replay(greenLanes))
  const { client, git, clone, env, fixture } = world
  await git('commit', '-q', '--allow-empty', '-m', 'only here')
  const base = await git('rev-parse', 'HEAD')
  const task = await client('task', 'say new')
  expect([task.exitCode, task.stderr]).toEqual([0, expect.stringContaining('  DONE\n')])
  expect(task.stdout).toContain('Branch:    drydock/say-new')
  expect(await git('log', '--format=%s', `${base}..drydock/say-new`)).toBe('Say new')
  expect(await git('show', 'drydock/say-new:value.txt')).toBe('new')
  expect(await git('status', '--porcelain')).toBe('')
  // Nothing of the clone's was pushed to where the hub's own people work.
  expect(await fixture.git('for-each-ref', '--format=%(refname)')).not.toContain('pushed')

  const commands = [['status'], ['report'], ['log'], ['chat'], ['diff'], ['budget'], ['status', 'say-new']]
  for (const [command = '', ...more] of commands.slice(0, 6)) {
    const [there, here] = [await client(command, ...more), await fixture.drydock(command, ...more)]
    const words = (text: string) =>
      text
        .split('\n')
        .filter((line) => !/^State: /.test(line))
        .join('\n')
        .trimEnd()
    expect([command, there.exitCode, words(there.stdout)]).toEqual([command, here.exitCode, words(here.stdout)])
    const told = await client(command, ...more, '--json')
    expect(told.events.length).toBeGreaterThan(command === 'chat' ? -1 : 0)
  }
  const key = join(clone, '..', 'key.pem')
  await writeFile(key, (await fixture.drydock('receipt', 'key')).stdout)
  const local = { ...env, DRYDOCK_HUB_URL: '' }
  const checked = await runHere(['receipt', 'verify', 'drydock/say-new', '--key', key, '--repo', clone], local)
  expect([checked.exitCode, checked.stderr]).toEqual([0, ''])

  // Watching what has ended says it again, and takes nothing twice.
  const [line] = (await client('status', '--json')).events
  expect((await client('watch', String(line?.run))).exitCode).toBe(0)
  expect((await git('branch', '--list', 'drydock/*')).split('\n')).toHaveLength(1)

  const { DRYDOCK_HUB_TOKEN: token = '' } = world.env
  const there = (await hubClients(world.env))({ url: world.url, token }).openRecords()
  const here = (await world.fixture.open()).openRecords()
  const run = (await here.machines({ kind: 'run' })).at(-1)?.id ?? ''
  const lanes = (await here.machines({ kind: 'lane', run })).map(({ id }) => id)
  const verifications = (await here.verifications(run)).map(({ runId }) => ({ run_id: runId }))
  const [{ run_id: id } = { run_id: '' }] = verifications
  const [log, logHere] = [await client('log', id, '--json'), await fixture.drydock('log', id, '--json')]
  expect(log.events.at(-1)).toMatchObject({ type: 'log', run_id: id, from: 'log' })
  expect(logHere.events.at(-1)).toEqual(log.events.at(-1))
  const queries = queriesToAsk({ run, lanes, verifications, message: '1' }) as { query: string; args: unknown[] }[]
  expect(new Set(queries.map(({ query }) => query))).toEqual(new Set(recordQueries))
  type Ask = (...args: unknown[]) => Promise<unknown>
  const from = async (records: Records, { query, args }: (typeof queries)[number]) => {
    const dates = args.map((arg) => (typeof arg === 'object' && arg && 'from' in arg ? withDates(arg) : arg))
    return [query, await (records[query as 'machine'] as Ask)(...dates)]
  }
  const answers = await Promise.all(queries.map((each) => from(there, each)))
  for (const [i, each] of queries.entries()) expect(answers[i]).toEqual(await from(here, each))
  await here.close()

  const send = (query: unknown, args: unknown) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    return ask(world.port, '/api/records', {
      method: 'POST',
      headers,
      body: JSON.stringify({ queries: [{ query, args }] }),
    })
  }
  for (const query of [
    'hubTokens',
    'hubToken',
    'hubSession',
    'commandAt',
    'close',
    'transact',
    '__proto__',
    'constructor',
  ])
    expect([query, (await send(query, ['x'])).status]).toEqual([query, 400])
  const odd = [
    null,
    {},
    [],
    ['\0'],
    ["'; drop table machines; --"],
    -1,
    1e300,
    { kind: { '>': '' } },
    { run: ['a'] },
    true,
  ]
  for (const query of recordQueries)
    for (const arg of odd)
      expect([200, 400], `${query} ${JSON.stringify(arg)}`).toContain((await send(query, [arg])).status)
  expect((await send('machine', ['a', 'b'])).status).toBe(400)
  // Neither has the newest commit of the other: they began alike.
  await fixture.git('commit', '-q', '--allow-empty', '-m', 'only there')
  await git('commit', '-q', '--allow-empty', '-m', 'only here, too')
  expect((await world.client('status')).exitCode).toBe(0)
  await git('reset', '-q', '--hard', 'HEAD~1')

  const { url } = world
  const eve = { ...env, DRYDOCK_HUB_TOKEN: await world.token('eve', 'viewer') }
  const barred = await runHere(['task', 'say new', '--repo', clone], eve)
  expect([barred.exitCode, barred.stderr]).toEqual([2, expect.stringContaining('The role viewer does not allow this')])
  const looked = await runHere(['watch', '--repo', clone], eve)
  expect([looked.exitCode, looked.stdout]).toEqual([0, expect.stringContaining('Branch:    drydock/say-new')])

  const { DRYDOCK_HUB_TOKEN: _, ...nobody } = env
  const unknown = await runHere(['status', '--repo', clone], nobody)
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining(`drydock hub login ${url}`)])
  const other = join(clone, '..', 'other')
  await fixture.git('init', '-q', other)
  await fixture.git('-C', other, '-c', 'user.name=a', '-c', 'user.email=b', 'commit', '-q', '--allow-empty', '-m', 'x')
  const wrong = await runHere(['status', '--repo', other], env)
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('shares no commit with')])

  expect((await fixture.drydock('hub', 'token', 'revoke', 'ada')).exitCode).toBe(0)
  const revoked = await client('status')
  expect([revoked.exitCode, revoked.stderr]).toEqual([2, expect.stringContaining('does not know the token')])
  const clear = await runHere(['status', '--hub', 'http://hub.example', '--repo', clone], env)
  expect([clear.exitCode, clear.stderr]).toEqual([2, expect.stringContaining('in the clear')])
  const away = await runHere(['status', '--hub', 'http://127.0.0.1:1', '--repo', clone], env)
  expect([away.exitCode, away.stderr]).toEqual([4, expect.stringContaining('cannot be reached')])
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

  // The configuration names the hub of a repository; a command that only works here does not ask it.
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
  // A request that is sent again is the same command.
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
  const elsewhere = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
  const said = async (...args: string[]) => {
    const { exitCode, stderr } = await runHere([...args, '--hub', elsewhere, '--repo', world.clone], world.env)
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

function withDates(span: object): object {
  const { from, to, points } = span as { from: string; to: string; points: number }
  return { from: new Date(from), to: new Date(to), points }
}
