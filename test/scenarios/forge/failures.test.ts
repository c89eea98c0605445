import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { checkForge } from '../../../src/cli/commands/doctor/check-forge.ts'
import { localToken } from '../../forge/forge-model.ts'
import { expectGood } from '../../forge/watch-world.ts'
import { createMemoryWatchWorld } from '../../world/forge.ts'

const limited = { 'retry-after': '3600' }

test.each([
  ['401', { status: 401, body: { message: 'Bad credentials' } }, 'forge_refused', 2],
  ['403', { status: 403, body: { message: 'Resource not accessible' } }, 'forge_refused', 2],
  ['404', { status: 404, body: { message: 'Not Found' } }, 'forge_not_found', 2],
  ['422', { status: 422, body: { message: 'Validation Failed' } }, 'forge_rejected', 2],
  ['429', { status: 429, body: { message: 'Slow down' }, headers: limited }, 'forge_rate_limited', 4],
] as const)(
  'a %s to the list of issues ends a single look with its error, and the next look continues',
  async (_, answer, code, exitCode) => {
    const world = await createMemoryWatchWorld()
    world.ask({})
    world.forge.answer(/^GET .*\/issues$/, answer)
    const failed = await world.poll()
    expect({ exitCode: failed.exitCode, code: failed.events.at(-1)?.code }).toEqual({ exitCode, code })
    expect(failed.stdout + failed.stderr).not.toContain(localToken)
    expect(world.forge.comments).toEqual([])
    expectGood(await world.poll())
    expect(world.told(7)).toHaveLength(1)
  },
)

test('a redirect to another host ends the look, and that host never sees the token', async () => {
  const world = await createMemoryWatchWorld()
  const seen: string[] = []
  const other = createServer((request, response) => {
    seen.push(request.url ?? '')
    response.end('[]')
  })
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/issues`
  world.forge.answer(/^GET .*\/issues$/, { status: 302, headers: { location } })
  expect((await world.poll()).events.at(-1)).toMatchObject({ code: 'forge_unreachable' })
  expect(seen).toEqual([])
})

test.each([
  ['403', { status: 403, body: { message: 'This conversation is locked' } }],
  ['422', { status: 422, body: { message: 'Validation Failed' } }],
  ['500', { status: 500 }],
] as const)('a %s to one comment leaves the other issues alone, and the comment is written once', async (_, answer) => {
  const world = await createMemoryWatchWorld()
  world.ask({ number: 7 })
  world.ask({ number: 8 })
  world.forge.answer(/^POST .*\/issues\/7\/comments$/, answer)
  const polled = await world.poll()
  expectGood(polled)
  expect(polled.events).toContainEqual(
    expect.objectContaining({ what: 'problem', text: expect.stringContaining('issue 7') }),
  )
  expect([world.told(7).length, world.told(8).length]).toEqual([0, 1])
  expectGood(await world.poll())
  expect([world.told(7).length, world.told(8).length]).toEqual([1, 1])
})

test.each([
  ['410', { status: 410, body: { message: 'This issue was deleted' } }],
  ['423', { status: 423, body: { message: 'Repository is archived' } }],
] as const)(
  'a %s to as many comments as a failing forge is given up after keeps no other issue waiting',
  async (_, answer) => {
    const world = await createMemoryWatchWorld()
    for (const number of [7, 8, 9, 10]) world.ask({ number })
    for (const number of [7, 8, 9]) world.forge.answer(new RegExp(`^POST .*/issues/${number}/comments$`), answer)
    expectGood(await world.poll())
    expect([7, 8, 9, 10].map((number) => world.told(number).length)).toEqual([0, 0, 0, 1])
  },
)

test('a token that was revoked is said once, and the watcher stays', async () => {
  const world = await createMemoryWatchWorld()
  const { fixture, forge } = world
  const revoked = ['revoked', 'token', '0815'].join('-')
  Object.assign(fixture.env, { LOCAL_FORGE_SECRET: revoked })
  const watcher = world.follow(0.02)
  expect(await watcher.until('problem')).toMatchObject({ code: 'forge_refused' })
  // A second watcher learns that the first one still runs.
  expect((await world.poll()).events.at(-1)).toMatchObject({ code: 'already_watched' })
  const ended = await watcher.stop()
  expect(ended.exitCode).toBe(0)
  expect(ended.events.filter(({ what }) => what === 'problem')).toHaveLength(1)
  expect(ended.stdout).not.toContain(revoked)
  expect(forge.requests.filter(({ method }) => method !== 'GET')).toEqual([])
})

test('a forge that fails for a while is asked again, and what it was asked for is done', async () => {
  const world = await createMemoryWatchWorld()
  const { forge } = world
  world.ask({})
  forge.answer(/^GET .*\/issues$/, { status: 422, body: { message: 'Not now' } })
  const told = Promise.withResolvers<void>()
  forge.after(/^POST .*\/issues\/7\/comments$/, told.resolve)
  const watcher = world.follow(0.02)
  expect(await watcher.until('problem')).toMatchObject({ code: 'forge_rejected' })
  await watcher.until('recovered')
  await told.promise
  await watcher.stop()
})

test('a change that the forge refuses is not sent again at the next looks, since people have to act first', async () => {
  const world = await createMemoryWatchWorld()
  const { forge } = world
  const refuse = () => forge.answer(/^POST .*\/pulls$/, { status: 422, body: { message: 'No change today' } })
  world.ask({})
  refuse()
  await world.watch()
  refuse()
  const watcher = world.follow(0.02)
  expect(await watcher.until('problem')).toMatchObject({ text: expect.stringContaining('No change today') })
  const looks = Promise.withResolvers<void>()
  let left = 3
  forge.after(/^GET .*\/issues$/, () => {
    left -= 1
    if (left === 0) looks.resolve()
  })
  await looks.promise
  await watcher.stop()
  expect(forge.requests.filter(({ line }) => /^POST .*\/pulls$/.test(line))).toHaveLength(2)
  expect(forge.changes).toEqual([])
})

test('doctor says whether the forge takes the token', async () => {
  const { fixture } = await createMemoryWatchWorld()
  const forgeWith = async (secret: string) => {
    Object.assign(fixture.env, { LOCAL_FORGE_SECRET: secret })
    return checkForge(await fixture.open())
  }
  expect(await forgeWith(localToken)).toMatchObject([{ ok: true, found: 'local: team/median is visible to the token' }])
  expect(await forgeWith('revoked')).toMatchObject([{ ok: false, fix: expect.stringMatching(/revoked/) }])
  expect(await forgeWith('')).toMatchObject([{ ok: true, fix: expect.stringMatching(/token_env/) }])
})
