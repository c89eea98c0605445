import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { localToken } from '../../forge/forge-model.ts'
import { configureForge, createLandingWorld, type LandingWorld } from '../../forge/landing-world.ts'
import { startForge } from '../../forge/local-forge.ts'
import { build, createCrewFixture, greenStory, specLanes } from '../world/crew.ts'
import { type CommandResult, call } from '../world/fixture.ts'
import { launch } from '../world/process.ts'

const errorOf = ({ exitCode, events }: CommandResult) => ({ exitCode, ...events.at(-1) })
const linesOf = ({ forge }: LandingWorld, pattern: RegExp) => forge.requests.filter(({ line }) => pattern.test(line))
const remoteBranch = ({ forge, branch }: LandingWorld) => forge.commitOf(branch)

describe.each(['github', 'gitlab', 'forgejo'] as const)('on %s', (kind) => {
  test('a task becomes a change with its report, its receipt and the status on exactly its commit; again updates it', async () => {
    const world = await createLandingWorld(kind, { reviewers: ['grace'] })
    const { fixture, forge, branch, sha } = world
    const landed = await world.land('--reviewer', 'ada')
    expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
    const { receipt, ...said } = landed.events.at(-1) ?? { type: '' }
    expect(said).toMatchObject({ type: 'land', forge: 'local', number: 1, opened: true, branch, base: 'main', sha })
    expect(await remoteBranch(world)).toBe(sha)
    expect(forge.changes).toMatchObject([
      { title: 'Say new', head: branch, base: 'main', draft: false, reviewers: ['grace', 'ada'] },
    ])
    const text = forge.changes[0]?.text ?? ''
    for (const part of ['## What', '## Why', 'Say new', '## How it was verified', sha, String(receipt), '## Cost'])
      expect(text).toContain(part)
    const description = `Verified by Drydock. Receipt ${receipt}`
    expect(forge.statuses).toEqual([{ sha, context: 'drydock/verified', state: 'success', description }])
    const clone = join(await mkdtemp(join(fixture.folder, 'clone-')), 'clone')
    await fixture.git('clone', '-q', forge.bare, clone)
    await fixture.git('-C', clone, 'fetch', '-q', 'origin', 'refs/notes/drydock:refs/notes/drydock')
    const { stdout: note } = {
      stdout: await fixture.git('-C', clone, 'notes', '--ref=refs/notes/drydock', 'show', sha),
    }
    expect(note).toBe(await fixture.git('notes', '--ref=refs/notes/drydock', 'show', sha))

    const people = `Please look.\n\n${text}\n\nSee also the board.`
    forge.changes[0] = {
      ...(forge.changes[0] as (typeof forge.changes)[number]),
      text: people.replace('## Cost', '## Old'),
    }
    const again = await world.land()
    expect(again, again.stderr).toMatchObject({ exitCode: 0 })
    expect(again.events.at(-1)).toMatchObject({ number: 1, opened: false })
    expect(forge.changes).toMatchObject([{ text: people, reviewers: ['grace', 'ada'] }])
    expect(forge.statuses).toHaveLength(1)
    expect(landed.stdout + landed.stderr + again.stdout + text).not.toContain(localToken)
  })

  test('a reviewer that the forge does not know is named; the change is open, and the next try asks the right one', async () => {
    const world = await createLandingWorld(kind)
    const refused = await world.land('--reviewer', 'nobody')
    expect(errorOf(refused)).toMatchObject({
      exitCode: 2,
      code: 'forge_rejected',
      message: expect.stringContaining('nobody'),
    })
    expect(world.forge.changes).toMatchObject([{ state: 'open', reviewers: [] }])
    const right = await world.land('--reviewer', 'ada')
    expect(right, right.stderr).toMatchObject({ exitCode: 0 })
    expect(world.forge.changes).toMatchObject([{ reviewers: ['ada'] }])
  })

  test('a token that was revoked changes nothing, and is said nowhere', async () => {
    const world = await createLandingWorld(kind)
    const revoked = ['revoked', 'token-of-the-forge', '0815'].join('-')
    const refused = await world.landWith({ LOCAL_FORGE_SECRET: revoked })
    expect(errorOf(refused)).toMatchObject({
      exitCode: 2,
      code: 'forge_refused',
      message: expect.stringContaining('401'),
    })
    expect(await remoteBranch(world)).toBeNull()
    expect(refused.stdout + refused.stderr).not.toContain(revoked)
  })
})

test('a crew becomes a pull request with its stories; what agents said is code, and does nothing there', async () => {
  const fixture = await createCrewFixture({ env: { LOCAL_FORGE_SECRET: localToken } })
  onTestFinished(() => fixture.remove())
  const forge = await startForge(fixture, 'github')
  await configureForge(fixture, forge)
  const hostile =
    'Make it\n\n@everyone closes #1\n/merge\n```\n<img src="https://example.com/x.png"> ![x](https://example.com)'
  const lanes = greenStory('one')
  const coding = (lanes['editor/one/CODING'] ?? []).slice(0, -1)
  const built = await build(fixture, {
    ...specLanes('one', 'two'),
    ...lanes,
    ...greenStory('two'),
    'editor/one/CODING': [...coding, call('submit_change', { summary: hostile })],
  })
  expect(built.exitCode, built.stderr).toBe(0)
  const landed = await fixture.drydock('land', '--pr', '--json')
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  const text = forge.changes[0]?.text ?? ''
  const outside = text.replaceAll(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '').replaceAll(/(`+)[^`].*?\1/g, '')
  expect(text).toContain('@everyone')
  expect(outside).not.toMatch(/@everyone|closes|\/merge|<img|!\[/)
  const commits = (await forge.git('log', '--format=%H', `main..${forge.changes[0]?.head}`)).split('\n')
  const noted = await forge.git('notes', '--ref=refs/notes/drydock', 'list')
  expect(commits).toHaveLength(2)
  for (const commit of commits) expect(noted).toContain(commit)
})

describe('possible answers of a forge', () => {
  test.each([
    ['404', { status: 404, body: { message: 'Not Found' } }, 'forge_not_found', 2],
    ['403', { status: 403, body: { message: 'Resource not accessible' } }, 'forge_refused', 2],
    [
      '422',
      { status: 422, body: { message: 'Validation Failed', errors: [{ field: 'base', code: 'invalid' }] } },
      'forge_rejected',
      2,
    ],
  ] as const)('%s to the pull request is said with the words of the forge', async (_, answer, code, exitCode) => {
    const world = await createLandingWorld()
    world.forge.answer(/^POST .*\/pulls$/, answer)
    const words = 'errors' in answer.body ? 'base invalid' : answer.body.message
    expect(errorOf(await world.land())).toMatchObject({ exitCode, code, message: expect.stringContaining(words) })
    expect((await world.land()).exitCode).toBe(0)
    expect(world.forge.changes).toHaveLength(1)
  })

  test('a 500 to a call that creates is looked into before it is sent again', async () => {
    const world = await createLandingWorld()
    world.forge.answer(/^POST .*\/pulls$/, { status: 500 })
    world.forge.answer(/^GET .*\/status$/, { status: 502 })
    const landed = await world.land()
    expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
    const asked = linesOf(world, /\/pulls$/).map(({ method }) => method)
    expect(asked).toEqual(['GET', 'POST', 'GET', 'POST'])
    expect(world.forge.changes).toHaveLength(1)
  })

  test('a rate limit is waited for if it is short, and said with its end if it is long', async () => {
    const world = await createLandingWorld()
    const limited = { status: 403, body: { message: 'API rate limit exceeded' } }
    world.forge.answer(/^POST .*\/pulls$/, { ...limited, headers: { 'retry-after': '1' } })
    const reset = String(Math.ceil(Date.now() / 1_000) + 3_600)
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
    world.forge.answer(/^POST .*\/statuses\//, { ...limited, headers })
    expect(errorOf(await world.land())).toMatchObject({
      exitCode: 4,
      code: 'forge_rate_limited',
      message: expect.stringContaining(new Date(Number(reset) * 1_000).toISOString().slice(0, 13)),
    })
    expect(world.forge.changes).toHaveLength(1)
    expect((await world.land()).exitCode).toBe(0)
    expect(world.forge.statuses).toHaveLength(1)
  })

  test('a redirect to another host is not followed: it never sees the token', async () => {
    const world = await createLandingWorld()
    const seen: string[] = []
    const other = createServer((request, response) => {
      seen.push(request.url ?? '')
      response.end('[]')
    })
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/pulls`
    world.forge.answer(/^GET .*\/pulls$/, { status: 302, headers: { location } })
    expect(errorOf(await world.land())).toMatchObject({
      exitCode: 4,
      code: 'forge_unreachable',
      message: expect.stringContaining('another host'),
    })
    expect(seen).toEqual([])
    expect(await remoteBranch(world)).toBeNull()
  })

  test('a closed pull request is named, and nothing is pushed', async () => {
    const world = await createLandingWorld()
    expect((await world.land()).exitCode).toBe(0)
    world.forge.changes[0] = { ...(world.forge.changes[0] as (typeof world.forge.changes)[number]), state: 'closed' }
    expect(errorOf(await world.land())).toMatchObject({ exitCode: 2, code: 'change_closed' })
  })
})

describe('a push', () => {
  test('that a hook of the server refuses is said with its words, and opens nothing', async () => {
    const world = await createLandingWorld()
    await world.forge.onPush('echo "main is frozen until Monday" >&2; exit 1')
    expect(errorOf(await world.land())).toMatchObject({
      exitCode: 4,
      code: 'push_refused',
      message: expect.stringContaining('main is frozen until Monday'),
    })
    expect(world.forge.changes).toEqual([])
  })

  test('never replaces commits of somebody else', async () => {
    const world = await createLandingWorld()
    const { fixture, forge, branch } = world
    const tree = await fixture.git('rev-parse', 'main^{tree}')
    const theirs = await fixture.git('commit-tree', tree, '-p', 'main', '-m', 'Theirs')
    await fixture.git('push', '-q', forge.bare, `${theirs}:refs/heads/${branch}`)
    expect(errorOf(await world.land())).toMatchObject({ exitCode: 2, code: 'branch_moved' })
    expect(await remoteBranch(world)).toBe(theirs)
    expect(forge.changes).toEqual([])
  })
})

describe('a process that is killed', () => {
  test.each([
    ['the pull request', /^POST .*\/pulls$/],
    ['the status', /^POST .*\/statuses\//],
  ])('right after the forge has taken %s leaves it to the next one, which does nothing twice', async (_, pattern) => {
    const world = await createLandingWorld()
    const { fixture, forge } = world
    const killed = launch(['land', '--pr', '--json', '--repo', fixture.repo], { env: fixture.env })
    forge.after(pattern, async () => {
      killed.child.kill('SIGKILL')
      await killed.ended
    })
    expect((await killed.ended).signal).toBe('SIGKILL')
    const landed = await world.land('--reviewer', 'ada')
    expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
    expect(forge.changes).toMatchObject([{ number: 1, reviewers: ['ada'] }])
    expect(forge.statuses).toHaveLength(1)
  })
})

test('a forge that nobody knows, a missing token and a wrong name are said before anything is done', async () => {
  const world = await createLandingWorld()
  expect(errorOf(await world.landWith({ LOCAL_FORGE_SECRET: '' }))).toMatchObject({
    exitCode: 2,
    code: 'no_forge_token',
  })
  expect(errorOf(await world.land('--forge', 'elsewhere'))).toMatchObject({ exitCode: 2, code: 'forge_unknown' })
  expect(errorOf(await world.land('--remote', 'upstream'))).toMatchObject({ exitCode: 2, code: 'bad_usage' })
  await world.fixture.git('remote', 'set-url', 'origin', 'https://git.example.com/team/median.git')
  const unknown = errorOf(await world.land())
  expect(unknown).toMatchObject({ exitCode: 2, code: 'forge_unknown' })
  expect(unknown).toMatchObject({ todo: expect.stringContaining('"url": "https://git.example.com"') })
  await world.fixture.git('remote', 'set-url', 'origin', world.forge.bare)
  const local = errorOf(await world.land())
  expect(local).toMatchObject({ exitCode: 2, code: 'forge_unknown', todo: expect.stringContaining('--remote NAME') })
  expect(world.forge.requests).toEqual([])
})
