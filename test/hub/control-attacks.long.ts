import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import { ask } from '../server/browser.ts'
import { type ControlWorld, controlWorld } from './control-world.ts'

const story = 'run-1/alpha'
const zeros = '0'.repeat(40)

const packet = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text

/** The commands of a push in git's format. */
const commands = (...changes: readonly (readonly [from: string, to: string, ref: string])[]) =>
  `${changes.map(([from, to, ref], i) => packet(`${from} ${to} ${ref}${i === 0 ? '\0 report-status' : ''}\n`)).join('')}0000`

/** Sends one request with any bytes. Null if the hub closes the connection instead. */
async function post(
  { hub }: ControlWorld,
  {
    token,
    path = 'git-receive-pack',
    body,
    headers = {},
  }: { token: string; path?: string; body: string | Buffer; headers?: Record<string, string> },
): Promise<{ readonly status: number; readonly text: string } | null> {
  const sent = request({
    host: '127.0.0.1',
    port: hub.port,
    method: 'POST',
    path: `/git/${path}`,
    agent: false,
    headers: {
      Host: `127.0.0.1:${hub.port}`,
      Authorization: `Bearer ${token}`,
      'Drydock-Host': 'north',
      'Content-Type': `application/x-${path}-request`,
      ...headers,
    },
  })
  sent.end(body)
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: response.statusCode ?? 0, text: (await buffer(response)).toString('latin1') }
  } catch {
    return null
  }
}

test('nobody without a token is answered, nor a page, nor anything but the three requests of git', async () => {
  const world = await controlWorld()
  const token = await world.hub.token('ada', 'operator')
  const { port } = world.hub
  const bearer = { Authorization: `Bearer ${token}` }
  const basic = (secret: string) => ({ Authorization: `Basic ${Buffer.from(`x:${secret}`).toString('base64')}` })
  const refs = '/git/info/refs?service=git-upload-pack'
  const asked = await ask(port, refs)
  expect([asked.status, asked.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Basic /)])
  expect((await ask(port, refs, { headers: basic(token) })).status).toBe(200)
  expect((await ask(port, refs, { headers: bearer })).status).toBe(200)
  for (const headers of [basic('x'), basic(`${token}x`), { Authorization: 'Basic !' }, { Authorization: token }])
    expect((await ask(port, refs, { headers })).status).toBe(401)
  expect((await ask(port, '/api/runs', { headers: basic(token) })).status).toBe(401)
  for (const more of [{ Origin: world.hub.url }, { 'Sec-Fetch-Site': 'same-origin' }, { Host: 'evil.example' }])
    expect((await ask(port, refs, { headers: { ...bearer, ...more } })).status).toBe(403)

  const odd = [
    '/git/info/refs',
    '/git/info/refs?service=git-upload-archive',
    '/git/info/refs?service=upload-pack',
    '/git/info/refs?service=git-upload-pack&service=git-receive-pack',
    '/git/info/refs/?service=git-upload-pack',
    '/git/HEAD',
    '/git/config',
    '/git/objects/info/packs',
    '/git/objects/info/alternates',
    '/git/description',
    `/git/objects/${world.tip.slice(0, 2)}/${world.tip.slice(2)}`,
    '/git/refs/heads/main',
    '/git/packed-refs',
    '/git/../git.config',
    '/git/%2e%2e/git.config',
    '/git/..%2fgit.config',
    '/git//etc/passwd',
    '/git/%00',
    '/git/git-upload-pack',
    '/git/git-receive-pack',
    '/git/git-upload-pack/info/refs?service=git-upload-pack',
    '/git/toString',
    '/git/constructor',
    '/git/--help',
    '/git/info/refs?service=--help',
    '/git/',
  ]
  for (const path of odd) expect(`${path} ${(await ask(port, path, { headers: bearer })).status}`).toBe(`${path} 404`)
  const plain = { 'Content-Type': 'text/plain' }
  expect((await post(world, { token, body: '0000', headers: plain }))?.status).toBe(404)
  expect((await ask(port, refs, { method: 'POST', headers: bearer })).status).toBe(404)
})

test('odd names of refs, deletions and invalid commands change nothing', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const token = await world.hub.token('north', 'worker')
  const { tip } = world
  const before = world.gitIn(world.mirror, 'for-each-ref')
  const own = `refs/drydock/snapshots/${story}`
  const refused = [
    'HEAD',
    '--upload-pack=touch',
    '-c',
    '--exec=x',
    `${own}/../../../heads/main`,
    `${own}/..`,
    `${own}/.`,
    own,
    `${own}/1.lock`,
    `${own}/a.b`,
    `${own}/@{0}`,
    `${own}/1~1`,
    `${own}/*`,
    `${own}/$(id)`,
    `${own}//1`,
    `${own}/`,
    'refs/drydock/unborn',
    'refs/user/HEAD',
    'refs/replace/x',
    'config',
    'hooks/pre-receive',
    `/${own}/1`,
  ]
  for (const ref of refused) {
    const answer = await post(world, { token, body: commands([zeros, tip, ref]) })
    expect(`${ref} ${answer?.text.includes(`ng ${ref} `)}`).toBe(`${ref} true`)
  }
  const deletion = await post(world, { token, body: commands([tip, zeros, `${own}/1`]) })
  expect(deletion?.text).toContain('nobody removes a ref here')
  const many = Array.from({ length: 65 }, (_, i) => [zeros, tip, `${own}/${i}`] as const)
  const broken = [
    '',
    '00',
    'zzzz',
    '0001',
    '0004',
    packet('push-cert\0x\n'),
    packet(`shallow ${tip} x\n`),
    packet('x'),
    `${packet(`${zeros} ${tip} ${own}/1`)}`,
    commands([zeros, tip, `${own}/\u00e9`]),
    commands(...many),
    packet(`${zeros} ${tip} ${own}/1 and more\n`),
    packet(`${zeros.slice(1)} ${tip} ${own}/1\n`),
    'f'.repeat(70_000),
    packet(`${zeros} ${tip} ${own}/1\n`) + packet(`${zeros} ${tip} ${own}/2\0late\n`),
  ]
  for (const body of broken)
    expect(`${body} ${(await post(world, { token, body }))?.status ?? 400}`).toBe(`${body} 400`)
  expect(world.gitIn(world.mirror, 'for-each-ref')).toBe(before)
})

test('a push is inspected: a path into .git is refused, and hooks in a tree are only files', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const token = await world.hub.token('north', 'worker')
  const blob = world.raw(['hash-object', '-w', '--stdin'], Buffer.from('#!/bin/sh\n'))
  const tree = (name: string, mode = '100755', object = blob) => {
    const raw = Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, 'hex')])
    return world.raw(['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], raw)
  }
  const push = async (root: string, n: number) => {
    const sha = world.git('commit-tree', root, '-p', world.tip, '-m', 'planted')
    const ref = `refs/drydock/snapshots/${story}/${n}`
    const { err } = await world.gitAs(token, ['push', '--quiet', world.url, `${sha}:${ref}`], 'north')
    return `${world.at(ref) === sha} ${err}`
  }
  expect(await push(tree('.git'), 1)).toMatch(/^false .*hasDotgit/s)
  expect(await push(tree('.GIT'), 2)).toMatch(/^false .*hasDotgit/s)
  expect(await push(tree('..', '40000', tree('x')), 3)).toMatch(/^false .*hasDotdot/s)
  expect(await push(tree('hooks', '40000', tree('pre-receive')), 4)).toMatch(/^true /)
  expect(readdirSync(world.mirror)).not.toContain('hooks')
})

test('too much is not read: of a bomb, of a fetch, and of a push', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const token = await world.hub.token('north', 'worker')
  const { fetchBytes, pushBytes } = limits.hub.git
  onTestFinished(() => void Object.assign(limits.hub.git, { fetchBytes, pushBytes }))
  Object.assign(limits.hub.git, { fetchBytes: 1_000_000, pushBytes: 200_000 })
  const fetching = { token, path: 'git-upload-pack' }
  const bomb = gzipSync(Buffer.alloc(100_000_000, '0'))
  const gzip = { 'Content-Encoding': 'gzip' }
  expect((await post(world, { ...fetching, body: bomb, headers: gzip }))?.text ?? '').not.toContain('packfile')
  expect((await post(world, { ...fetching, body: 'no gzip', headers: gzip }))?.status ?? 400).toBe(400)
  world.write('large.bin', world.noise(400_000))
  const sha = world.commitAll('large')
  const ref = `refs/drydock/snapshots/${story}/1`
  const pushed = await world.gitAs(token, ['push', world.url, `${sha}:${ref}`], 'north')
  expect(pushed.err).toMatch(/exceeds maximum allowed size/)
  expect(world.at(ref)).toBe('')
  expect(readdirSync(join(world.mirror, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([])
})

test('a token has no more than its part of the programs of git, and a turn goes to who waits', async () => {
  const world = await controlWorld()
  const ada = await world.hub.token('ada', 'operator')
  const eve = await world.hub.token('eve', 'operator')
  const refs = '/git/info/refs?service=git-upload-pack'
  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
  const { childrenEach } = limits.hub.git
  onTestFinished(() => void Object.assign(limits.hub.git, { childrenEach }))
  Object.assign(limits.hub.git, { childrenEach: 0 })
  expect((await ask(world.hub.port, refs, bearer(ada))).status).toBe(429)
  Object.assign(limits.hub.git, { childrenEach: 40 })
  const all = await Promise.all(
    Array.from({ length: 60 }, (_, i) => ask(world.hub.port, refs, bearer(i % 2 ? ada : eve))),
  )
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
})

test('a slow request is cut off, unless it is git with a token', async () => {
  const { requestMs } = limits.hub
  onTestFinished(() => void Object.assign(limits.hub, { requestMs }))
  Object.assign(limits.hub, { requestMs: 3_000 })
  const world = await controlWorld()
  world.hold('north', story)
  const token = await world.hub.token('north', 'worker')
  const slow = (path: string, headers: Record<string, string>) => {
    const host = { Host: `127.0.0.1:${world.hub.port}`, 'Transfer-Encoding': 'chunked' }
    const at = { host: '127.0.0.1', port: world.hub.port, method: 'POST', path, agent: false }
    const sent = request({ ...at, headers: { ...host, ...headers } })
    sent.on('error', () => undefined).write('0')
    return { sent, ended: new Promise<string>((resolve) => sent.on('close', () => resolve(path))) }
  }
  const git = { 'Content-Type': 'application/x-git-receive-pack-request' }
  const json = { 'Content-Type': 'application/json', Origin: world.hub.url }
  const known = slow('/git/git-receive-pack', { ...git, Authorization: `Bearer ${token}`, 'Drydock-Host': 'north' })
  const others = [slow('/session', json), slow('/api/tasks', json), slow('/git/git-receive-pack', git)]
  for (const each of others)
    await Promise.race([each.ended, known.ended.then(() => Promise.reject(new Error('known')))])
  const answered = new Promise<number | undefined>((resolve) =>
    known.sent.on('response', (response) => resolve(response.resume().statusCode)),
  )
  known.sent.end('000')
  expect(await answered).toBe(200)
})
