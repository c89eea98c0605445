import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createFixture, greenLanes, passWhenNew, runHere } from '../scenarios/world/fixture.ts'
import { ciWorld, configOf, type Env, obeyed, pullRequest, type Step } from './ci-world.ts'

const notes = 'refs/notes/drydock'

/** A pull request of a finished Drydock task, with its receipt on the server. */
async function taskAsPullRequest() {
  const world = await ciWorld({ 'value.txt': 'old\n', '.drydock/config.json': configOf(passWhenNew) })
  const { dev } = world
  const fixture = await createFixture({})
  const model = await fixture.replay(greenLanes)
  const env = { ...world.env, DRYDOCK_HOME: join(world.folder, 'state') }
  const drydock = (...args: string[]) => runHere([...args, '--repo', dev.folder], env)
  const task = await drydock('task', 'Say new', '--model', model, '--json')
  await fixture.remove()
  expect(task.exitCode, task.stderr).toBe(0)
  await dev.git('switch', '-q', String(task.events.at(-1)?.branch))
  await dev.git('push', '-q', 'origin', `${notes}:${notes}`)
  const pem = (await drydock('receipt', 'key')).stdout
  return { world, dev, drydock, pem }
}

const states = ({ events }: Step) => {
  const { receipts } = events.at(-1) as { receipts?: { state: string; fault?: string }[] }
  return receipts?.map(({ state, fault }) => fault ?? state)
}

test('a key that the change could replace is refused, by its name and behind a link', async () => {
  const { world, dev, pem } = await taskAsPullRequest()
  await dev.commit({ 'keys/drydock.pem': pem })
  const { clone, env } = await pullRequest(world)
  const inside = join(clone.folder, 'keys/drydock.pem')
  const linked = join(world.folder, 'linked.pem')
  await symlink(inside, linked)
  expect(await world.step(clone, env, 'ci', '--key', linked)).toMatchObject({ exitCode: 2 })
  const named = await world.step(clone, env, 'ci', '--key', inside)
  expect(named.exitCode).toBe(2)
  expect(obeyed(named.stdout)).toMatchObject([{ data: expect.stringContaining('a change could replace the key') }])
  const config = join(dirname(clone.folder), 'home/.config/drydock')
  await mkdir(config, { recursive: true })
  await writeFile(join(config, 'config.json'), JSON.stringify({ receipts: { trusted_keys: [inside] } }))
  expect(await world.step(clone, env, 'ci')).toMatchObject({
    exitCode: 2,
    summary: expect.stringContaining('bad_config'),
  })
  const moved = await world.step(clone, { ...env, XDG_CONFIG_HOME: clone.folder }, 'ci')
  expect(moved.exitCode).toBe(0)
  await mkdir(join(clone.folder, 'drydock'))
  await writeFile(join(clone.folder, 'drydock/config.json'), '{}')
  const own = await world.step(clone, { ...env, XDG_CONFIG_HOME: clone.folder }, 'ci')
  expect(own).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('a change could replace it') })
  const outside = join(world.folder, 'key.pem')
  await writeFile(outside, await readFile(inside))
  const trusted = await world.step(clone, env, 'ci', '--key', outside, '--json')
  expect(states(trusted)).toEqual(['missing', 'proven'])
  const wrong = await world.step(clone, { ...env, DRYDOCK_RECEIPT_KEY: 'no key' }, 'ci')
  expect(wrong).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('cannot be used as a key') })
})

test('a receipt that was forged, changed or copied is red, whatever the gate says', async () => {
  const { world, dev, drydock, pem } = await taskAsPullRequest()
  const proven = await dev.git('rev-parse', 'HEAD')
  const note = await dev.git('notes', `--ref=${notes}`, 'show', proven)
  const changed = note.replace(/("payload":".{60})(.)/, (_all, before, char) => `${before}${char === 'A' ? 'B' : 'A'}`)
  const forgers = join(world.folder, 'forger')
  const forged = (await runHere(['receipt', 'key'], { ...world.env, DRYDOCK_HOME: forgers })).stdout
  const copied = await dev.commit({ 'value.txt': 'newest\n' })
  const { clone, env } = await pullRequest(world)
  const given = { ...env, DRYDOCK_RECEIPT_KEY: pem }
  const withNotes = async (on: Readonly<Record<string, string>>, more: Env = given) => {
    for (const [commit, text] of Object.entries(on))
      await dev.git('notes', `--ref=${notes}`, 'add', '-f', '-m', text, commit)
    await dev.git('push', '-qf', 'origin', `${notes}:${notes}`)
    return world.step(clone, more, 'ci', '--json')
  }
  const copy = await withNotes({ [copied]: note })
  expect([copy.exitCode, copy.outputs.outcome, states(copy)]).toEqual([
    3,
    'NOT_PROVEN',
    ['receipt_other_commit', 'proven'],
  ])
  expect(obeyed(copy.stderr)).toMatchObject([{ command: 'error', properties: { title: 'A receipt is not proven' } }])
  const spoiled = await withNotes({ [copied]: 'no receipt', [proven]: changed })
  expect([spoiled.exitCode, states(spoiled)]).toEqual([3, ['receipt_malformed', 'receipt_changed']])
  const stranger = await withNotes({ [proven]: note }, { ...env, DRYDOCK_RECEIPT_KEY: forged })
  expect(states(stranger)).toEqual(['receipt_malformed', 'receipt_unknown_key'])
  expect((await drydock('receipt', 'verify', proven)).exitCode).toBe(0)
})

test('receipts are fetched and checked with the pipeline’s key, and commits by others are reported or refused', async () => {
  const { world, dev, pem } = await taskAsPullRequest()
  const own = await pullRequest(world)
  const keyed = { ...own.env, DRYDOCK_RECEIPT_KEY: pem }
  const proven = await world.step(own.clone, keyed, 'ci', '--require-receipts', '--json')
  expect(proven, proven.stderr).toMatchObject({ exitCode: 0, outputs: { outcome: 'PASS', receipts_proven: '1' } })
  expect(obeyed(proven.stderr)).toEqual([])
  const unchecked = await world.step(own.clone, own.env, 'ci', '--json')
  expect([unchecked.exitCode, states(unchecked)]).toEqual([0, ['unchecked']])

  const forged = (await runHere(['receipt', 'key'], { ...world.env, DRYDOCK_HOME: join(world.folder, 'forger') }))
    .stdout
  const stranger = await world.step(own.clone, { ...own.env, DRYDOCK_RECEIPT_KEY: forged }, 'ci', '--json')
  expect([stranger.exitCode, stranger.outputs.outcome, states(stranger)]).toEqual([
    3,
    'NOT_PROVEN',
    ['receipt_unknown_key'],
  ])

  await dev.commit({ 'value.txt': 'newer\n' })
  const more = await pullRequest(world)
  const told = await world.step(more.clone, { ...more.env, DRYDOCK_RECEIPT_KEY: pem }, 'ci', '--json')
  expect([told.exitCode, states(told)]).toEqual([0, ['missing', 'proven']])
  const required = await world.step(more.clone, { ...more.env, DRYDOCK_RECEIPT_KEY: pem }, 'ci', '--require-receipts')
  expect(required).toMatchObject({ exitCode: 3, outputs: { outcome: 'NOT_PROVEN' } })
  expect(obeyed(required.stdout)).toMatchObject([
    { command: 'error', properties: { title: '1 of 2 commits without a proven receipt' } },
  ])
})
