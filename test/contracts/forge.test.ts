import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createForge } from '../../src/adapters/forge/create-forge.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import type { Forge } from '../../src/ports/forge.ts'
import { localToken, project } from '../forge/forge-model.ts'
import { type LocalForge, startForge } from '../forge/local-forge.ts'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture()
})
afterAll(() => fixture.remove())

/** A forge for one test, which holds the shared repository for that time. */
async function startLocal(kind: LocalForge['kind']): Promise<LocalForge> {
  onTestFinished(async () => {
    await fixture.git('remote', 'remove', 'origin')
  })
  return startForge({ ...fixture, folder: await mkdtemp(join(fixture.folder, 'forge-')) }, kind)
}

async function worldOf(kind: LocalForge['kind']): Promise<{ readonly forge: Forge; readonly local: LocalForge }> {
  const local = await startLocal(kind)
  const place = { name: 'local', kind, url: local.url, project: project.path }
  return { local, forge: await createForge({ ...place, credentials: { token: localToken } }) }
}

const early = '2026-11-20T10:00:00Z'
const late = '2026-11-20T11:00:00Z'
const long = 'x'.repeat(1_000_000)

describe.each(['github', 'gitlab', 'forgejo'] as const)('a forge of kind %s', (kind) => {
  test('opens a change for a branch, finds it by the branch, and changes its text', async () => {
    const { forge } = await worldOf(kind)
    expect(await forge.findChange('work')).toBeNull()
    const wanted = { head: 'work', base: 'main', title: 'Title', text: 'Text', draft: false }
    const opened = await forge.openChange(wanted)
    expect(opened).toMatchObject({ number: 1, state: 'open', head: 'work', base: 'main', title: 'Title', text: 'Text' })
    expect(await forge.findChange('work')).toEqual(opened)
    expect(await forge.updateChange(1, 'Other')).toEqual({ ...opened, text: 'Other' })
    await expect(forge.openChange(wanted)).rejects.toMatchObject({ code: 'forge_rejected' })
  })

  test('says of a change that it was closed or merged, and prefers the one that is open', async () => {
    const { forge, local } = await worldOf(kind)
    const change = { head: 'work', base: 'main', title: 'T', text: '', draft: false, reviewers: [] }
    local.changes.push({ ...change, number: 1, state: 'merged' })
    expect(await forge.findChange('work')).toMatchObject({ number: 1, state: 'merged' })
    local.changes.push({ ...change, number: 2, state: 'closed' })
    expect(await forge.findChange('work')).toMatchObject({ number: 2, state: 'closed' })
    local.changes.splice(0, 1, { ...change, number: 1, state: 'open' })
    expect(await forge.findChange('work')).toMatchObject({ number: 1, state: 'open' })
  })

  test('tells comments on a line from others, since a time; answers one where it stands', async () => {
    const { forge, local } = await worldOf(kind)
    await forge.openChange({ head: 'main', base: 'main', title: 'T', text: '', draft: false })
    const said = { on: 1, author: 'ada', answers: null }
    local.comments.push(
      { ...said, id: 1, text: 'too old', at: early, line: null },
      { ...said, id: 2, text: 'on a line', at: late, line: { path: 'src/a.ts', number: 3 } },
      { ...said, id: 3, text: long, at: '2026-11-20T11:30:00Z', line: null },
    )
    const comments = await forge.comments({ type: 'change', number: 1 }, new Date(late))
    expect(comments).toMatchObject([
      { author: 'ada', text: 'on a line', at: '2026-11-20T11:00:00.000Z', line: { path: 'src/a.ts', number: 3 } },
      { author: 'ada', line: null },
    ])
    expect(comments[1]?.text.length).toBeLessThan(70_000)
    for (const comment of comments) await forge.reply(1, comment, `to ${comment.line === null ? 'all' : 'the line'}`)
    expect(local.comments.slice(3)).toMatchObject([
      { text: 'to the line', line: { path: 'src/a.ts', number: 3 } },
      { text: 'to all', line: null },
    ])
  })

  test('counts no line of a comment in the new file that is on a line before the change', async () => {
    const { forge, local } = await worldOf(kind)
    await forge.openChange({ head: 'main', base: 'main', title: 'T', text: '', draft: false })
    const line = { path: 'src/a.ts', number: 3, side: 'old' } as const
    local.comments.push({ id: 1, on: 1, author: 'ada', answers: null, text: 'Keep it.', at: late, line })
    const [comment] = await forge.comments({ type: 'change', number: 1 }, new Date(early))
    expect(comment).toMatchObject({ text: 'Keep it.', line: { path: 'src/a.ts', number: null } })
  })

  test('is asked only by its mark for what was read before', async () => {
    const { forge, local } = await worldOf(kind)
    local.issues.push({ title: 'T', text: '', author: 'ada', at: late, number: 7, labels: ['drydock'] })
    const ask = () => forge.issues({ label: 'drydock', since: new Date(early) })
    const first = await ask()
    expect(await ask()).toEqual(first)
    local.issues.push({ title: 'U', text: '', author: 'ada', at: late, number: 8, labels: ['drydock'] })
    expect(await ask()).toHaveLength(2)
    const asked = local.requests.filter(({ query }) => Number(query.get('page') ?? 1) === 1)
    const marks = asked.map(({ headers }) => headers['if-none-match'])
    expect(marks).toEqual([undefined, expect.stringMatching(/^W/), expect.stringMatching(/^W/)])
  })

  test('says who set a label, and whether a comment answers another', async () => {
    const { forge, local } = await worldOf(kind)
    const issue = { title: 'T', text: '', author: 'ada', at: late, labels: ['drydock'] }
    local.issues.push({ ...issue, number: 7, labeledBy: 'grace' })
    expect(await forge.labeledBy(7, 'drydock')).toBe('grace')
    expect(await forge.labeledBy(7, 'other')).toBeNull()
    await forge.comment({ type: 'issue', number: 7 }, 'Working on it.')
    const [comment] = await forge.comments({ type: 'issue', number: 7 }, new Date(early))
    expect(comment).toMatchObject({ text: 'Working on it.', line: null, isAnswer: false })
  })

  test('lists issues with a label, and edits its one comment on an issue', async () => {
    const { forge, local } = await worldOf(kind)
    const issue = { title: 'Broken', text: 'It is broken.', author: 'eve', at: late }
    local.issues.push({ ...issue, number: 7, labels: ['drydock'] }, { ...issue, number: 8, labels: ['other'] })
    const found = await forge.issues({ label: 'drydock', since: new Date(early) })
    expect(found).toMatchObject([
      { number: 7, title: 'Broken', text: 'It is broken.', author: 'eve', labels: ['drydock'] },
    ])
    const id = await forge.comment({ type: 'issue', number: 7 }, 'Working on it.')
    expect(await forge.comment({ type: 'issue', number: 7, edits: id }, 'Done.')).toBe(id)
    expect(local.comments).toMatchObject([{ on: 7, text: 'Done.' }])
  })

  test('knows who may write', async () => {
    const { forge } = await worldOf(kind)
    const asked = await Promise.all(['grace', 'ada', 'eve', 'nobody'].map((account) => forge.permissionOf(account)))
    expect(asked).toEqual(['admin', 'write', 'read', 'none'])
  })

  test('sets a status, and lists the checks of a commit', async () => {
    const { forge } = await worldOf(kind)
    const sha = 'a'.repeat(40)
    await forge.setStatus(sha, { context: 'drydock/verified', state: 'failure', description: 'No.' })
    expect(await forge.checks(sha)).toContainEqual(
      expect.objectContaining({ name: 'drydock/verified', state: 'failure', description: 'No.' }),
    )
  })
})

test('a job of GitLab that may fail is not red', async () => {
  const { forge, local } = await worldOf('gitlab')
  const sha = 'a'.repeat(40)
  const failed = { sha, state: 'failure', log: '' } as const
  local.jobs.push({ ...failed, id: 1, name: 'tests' }, { ...failed, id: 2, name: 'canary', mayFail: true })
  const states = new Map((await forge.checks(sha)).map(({ name, state }) => [name, state]))
  expect(Object.fromEntries(states)).toEqual({ tests: 'failure', canary: 'neutral' })
})

test('the log of a job on another host is fetched without the token, and only its end is kept', async () => {
  const { forge, local } = await worldOf('github')
  const seen: object[] = []
  const store = createServer(({ headers }, response) => {
    seen.push(headers)
    response.end(`first\n${'line of a log\n'.repeat(50_000)}last\n`)
  })
  store.listen(0, '127.0.0.1')
  await once(store, 'listening')
  onTestFinished(() => void store.close())
  const location = `http://127.0.0.1:${(store.address() as AddressInfo).port}/log?signature=1`
  local.answer(/^GET .*\/actions\/jobs\/5\/logs$/, { status: 302, headers: { location } })
  const log = await forge.logsOf('5')
  expect(log).toMatch(/^line of a log\n[\s\S]*last\n$/)
  expect(JSON.stringify(seen)).not.toContain(localToken)
  expect(JSON.stringify(local.requests)).toContain(localToken)
})

test('a GitHub App acts with a token that GitHub makes for it', async () => {
  const local = await startLocal('github')
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const app = { id: 4_711, privateKey, installation: null }
  const place = { name: 'local', kind: 'github', url: local.url, project: project.path } as const
  const forge = await createForge({ ...place, credentials: { app } })
  expect(await forge.permissionOf('ada')).toBe('write')
  expect(await forge.pushCredentials()).toEqual({ origin: local.url, user: 'x-access-token', password: localToken })
  expect(local.requests.map(({ line }) => line)).toEqual([
    'GET /repos/team/median/installation',
    expect.stringMatching(/^POST \/app\/installations\/\d+\/access_tokens$/),
    'GET /repos/team/median/collaborators/ada/permission',
  ])
})

const change = { html_url: 'x', state: 'open', number: 1, head: { ref: 'work', sha: 1 }, base: { ref: 'main' } }
const strange = {
  'a page': ['text/html', '<!doctype html><title>Sign in</title>'],
  'a page that says it is JSON': ['application/json', '<!doctype html><title>Sign in</title>'],
  nothing: ['application/json', ''],
  null: ['application/json', 'null'],
  'a word': ['application/json', '"ok"'],
  'an empty object': ['application/json', '{}'],
  'a list of nothing': ['application/json', '[null, 1, []]'],
  'a change of wrong types': ['application/json', JSON.stringify([{ ...change, title: {}, body: 7 }])],
  'an address that is none': ['application/json', JSON.stringify({ ...change, title: 'T', body: 'B' })],
  'an address of a program': [
    'application/json',
    JSON.stringify({ ...change, title: 'T', web_url: 'javascript:1', iid: 1, html_url: 'javascript:1' }),
  ],
  'JSON that ends early': ['application/json', '[{"number": 1, "html_url": "htt'],
} as const

describe.each(['github', 'gitlab', 'forgejo'] as const)('a server that is not a forge of kind %s', (kind) => {
  test.each(Object.entries(strange))('and answers %s, is said to be none', async (_, [type, body]) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const place = { name: 'local', kind, url, project: project.path }
    const forge = await createForge({ ...place, credentials: { token: localToken } })
    const wanted = { head: 'work', base: 'main', title: 'Title', text: 'Text', draft: false }
    const opening = await forge.openChange(wanted).catch((error: unknown) => error)
    expect(opening).toMatchObject({ code: 'forge_unreachable', message: expect.stringContaining('local') })
    const since = new Date(early)
    const calls = [
      forge.findChange('work'),
      forge.updateChange(1, 'Other'),
      forge.requestReview(1, ['ada']),
      forge.checks('a'.repeat(40)),
      forge.comments({ type: 'change', number: 1 }, since),
      forge.issues({ label: 'drydock', since }),
      forge.permissionOf('ada'),
    ]
    const codes = await Promise.all(calls.map((called) => called.then(() => null, codeOf)))
    expect(codes.filter((code) => code !== null && code !== 'forge_unreachable' && code !== 'forge_rejected')).toEqual(
      [],
    )
  })
})

function codeOf(error: unknown): unknown {
  return error instanceof DrydockError ? error.code : error
}

test('an invalid time ends the wait for a rate limit with a readable error', async () => {
  const { forge, local } = await worldOf('github')
  for (const reset of ['99999999999999999', '1e300', '-5', 'soon']) {
    local.answer(/pulls$/, { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } })
  }
  local.answer(/pulls$/, { status: 429, headers: { 'retry-after': '99999999999999999999' } })
  await expect(forge.findChange('work')).rejects.toMatchObject({ code: 'forge_rate_limited' })
  await expect(forge.findChange('work')).rejects.toMatchObject({ code: 'forge_rate_limited' })
})
