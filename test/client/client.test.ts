import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { greenLanes, runHere } from '../scenarios/world/fixture.ts'
import { ask } from '../server/browser.ts'
import { createHubAndClone } from './hub-and-clone.ts'

test('a task that a hub does ends in the clone as one that is done there; no row of it is read, and who may not is told', async () => {
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
  // None of the clone's branches was pushed to the repository of the hub's own users.
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

  // Watching an ended run prints its end again, without repeating any action.
  const [line] = (await client('status', '--json')).events
  expect((await client('watch', String(line?.run))).exitCode).toBe(0)
  expect((await git('branch', '--list', 'drydock/*')).split('\n')).toHaveLength(1)

  const { DRYDOCK_HUB_TOKEN: token = '' } = world.env
  const here = (await world.fixture.open()).openRecords()
  const run = (await here.machines({ kind: 'run' })).at(-1)?.id ?? ''
  const verifications = (await here.verifications(run)).map(({ runId }) => ({ run_id: runId }))
  await here.close()
  const [{ run_id: id } = { run_id: '' }] = verifications
  const [log, logHere] = [await client('log', id, '--json'), await fixture.drydock('log', id, '--json')]
  expect(log.events.at(-1)).toMatchObject({ type: 'log', run_id: id, from: 'log' })
  expect(logHere.events.at(-1)).toEqual(log.events.at(-1))
  // A hub answers by its views alone: nobody reads its rows.
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ queries: [{ query: 'machine', args: [run] }] })
  expect((await ask(world.port, '/api/records', { method: 'POST', headers, body })).status).toBe(404)
  // A page of the log tells what the whole log tells at its place.
  type Page = { readonly entries: readonly { readonly event: { readonly id: number }; readonly spoken: unknown }[] }
  const pageAfter = async (after: number): Promise<Page> =>
    JSON.parse((await ask(world.port, `/api/log?id=${run}&after=${after}`, { headers })).body)
  const { entries } = await pageAfter(0)
  expect(entries.filter(({ spoken }) => spoken !== null).length).toBeGreaterThan(3)
  for (const [i, { event }] of entries.entries())
    if (i % 7 === 0) expect((await pageAfter(event.id)).entries).toEqual(entries.slice(i + 1))
  // Neither repository has the newest commit of the other, but both have a common start.
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

  // Only an admin's token manages the hub's tokens from the clone.
  const root = { ...env, DRYDOCK_HUB_TOKEN: await world.token('root', 'admin') }
  const hub = (as: typeof env, ...args: readonly string[]) => runHere(['hub', ...args, '--repo', clone], as)
  const added = await hub(root, 'token', 'add', 'bob', '--role', 'viewer', '--expires', '90d')
  expect([added.exitCode, added.stdout]).toEqual([0, expect.stringMatching(/^drydock_hub_[\w-]{43}\n$/)])
  const bob = { ...env, DRYDOCK_HUB_TOKEN: added.stdout.trim() }
  expect((await runHere(['status', '--repo', clone], bob)).exitCode).toBe(0)
  expect((await hub(root, 'token', 'list')).stdout).toMatch(/^bob +viewer/m)
  expect((await hub(bob, 'token', 'list')).stderr).toContain('The role viewer does not allow this')
  expect((await hub(root, 'token', 'revoke', 'bob')).exitCode).toBe(0)
  expect((await runHere(['status', '--repo', clone], bob)).stderr).toContain('does not know the token')
  expect((await hub(root, 'workers')).stdout).toContain('Nobody works on this state now')
  expect((await hub(root, 'drain', 'big')).stderr).toContain('No worker named "big" is at work')

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
