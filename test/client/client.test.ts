import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCrewFixture, greenStory, specLanes } from '../scenarios/world/crew.ts'
import { greenLanes, resultOf, runHere } from '../scenarios/world/fixture.ts'
import { launch } from '../scenarios/world/process.ts'
import { createHubAndClone } from './hub-and-clone.ts'

test('a task that a hub does ends in the clone as one that is done there: branch, receipt, words and exit code', async () => {
  const { client, git, clone, env, fixture } = await createHubAndClone((at) => at.replay(greenLanes))
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
  const again = await client('watch', (resultOf(await client('task', '--json', 'say new')) as { run: string }).run)
  expect(again.exitCode).toBe(0)
  expect((await git('branch', '--list', 'drydock/*')).split('\n')).toHaveLength(2)
})

test('a spec is built by the crew of a hub, and the same spec again is the same run', async () => {
  const lanes = { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') }
  const { client, git } = await createHubAndClone((at) => at.replay(lanes), { create: createCrewFixture })
  const built = await client('run', 'Make the files', '--json')
  expect(resultOf(built)).toMatchObject({ status: 'DONE', branch: 'drydock/make-the-files' })
  expect(await git('log', '--format=%s', 'HEAD..drydock/make-the-files')).toMatch(/^Add (one|two)\nAdd (one|two)$/)
  expect((await git('notes', '--ref', 'drydock', 'list')).split('\n')).toHaveLength(2)
  const again = await client('run', 'Make the files')
  expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('The same spec is already built')])
})

test('who may only read follows and starts nothing; another repository, no token and a revoked one are named', async () => {
  const { client, clone, env, fixture, token, url } = await createHubAndClone((at) => at.replay(greenLanes))
  const eve = { ...env, DRYDOCK_HUB_TOKEN: await token('eve', 'viewer') }
  const refused = await runHere(['task', 'say new', '--repo', clone], eve)
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('The role viewer does not allow this'),
  ])
  expect((await client('task', 'say new')).exitCode).toBe(0)
  const watched = await runHere(['watch', '--repo', clone], eve)
  expect([watched.exitCode, watched.stdout]).toEqual([0, expect.stringContaining('Branch:    drydock/say-new')])

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

test('a token is kept where nobody else reads it, and others who can read it are in the way', async () => {
  const { clone, env, url } = await createHubAndClone((at) => at.replay(greenLanes))
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
  expect((await runHere(['task', 'say new', '--repo', clone], bare)).exitCode).toBe(0)
  const alone = await runHere(['status', '--no-hub', '--repo', clone], bare)
  expect([alone.stdout, alone.stderr]).toEqual([expect.stringContaining('No runs yet'), ''])
  const told = `This command works on this clone, not at the hub ${url}.\n`
  for (const env of [bare, { ...bare, XDG_CONFIG_HOME: '/none', DRYDOCK_HUB_URL: url }])
    expect((await runHere(['gc', '--repo', clone], env)).stderr).toBe(told)
  const out = await runHere(['hub', 'logout', url], bare)
  expect([out.exitCode, await readFile(file, 'utf8')]).toEqual([0, '{}\n'])
  expect((await status()).exitCode).toBe(2)
})
