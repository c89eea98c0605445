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

test('a viewer, a monitor and a revoked token neither fetch nor push, and a worker is no other’s host', async () => {
  const world = await controlWorld()
  const eve = await world.hub.token('eve', 'viewer')
  const north = await world.hub.token('north', 'worker')
  const asking = (token: string, service: string, host?: string) =>
    ask(world.hub.port, `/git/info/refs?service=git-${service}`, {
      headers: { Authorization: `Bearer ${token}`, ...(host !== undefined && { 'Drydock-Host': host }) },
    })
  const watcher = await world.hub.token('watcher', 'monitor')
  for (const token of [eve, watcher])
    for (const service of ['upload-pack', 'receive-pack']) expect((await asking(token, service)).status).toBe(403)
  for (const host of ['north', 'north/box-1', undefined])
    expect((await asking(north, 'receive-pack', host)).status).toBe(200)
  for (const host of ['south', 'northern', 'north/', '/north', 'north/a b'])
    expect((await asking(north, 'receive-pack', host)).status).toBe(403)
  await world.hub.rows.deleteHubToken('north')
  for (const service of ['upload-pack', 'receive-pack']) expect((await asking(north, service)).status).toBe(401)
  expect(world.hub.audit.filter((line) => line.includes('"name":"eve","route":"push"'))).toHaveLength(1)
})

test('what is malformed, hostile, too large or too many reaches neither refs nor files of the mirror', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const token = await world.hub.token('north', 'worker')
  const { tip } = world
  const before = world.gitIn(world.mirror, 'for-each-ref')
  const own = `refs/drydock/snapshots/${story}`
  const refs = '/git/info/refs?service=git-upload-pack'
  const bearer = { Authorization: `Bearer ${token}` }
  const basic = (secret: string) => ({ Authorization: `Basic ${Buffer.from(`x:${secret}`).toString('base64')}` })
  const asked = await ask(world.hub.port, refs)
  expect([asked.status, asked.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Basic /)])
  expect((await ask(world.hub.port, refs, { headers: basic(`${token}x`) })).status).toBe(401)
  expect((await ask(world.hub.port, '/api/runs', { headers: basic(token) })).status).toBe(401)
  for (const more of [{ Origin: world.hub.url }, { Host: 'evil.example' }])
    expect((await ask(world.hub.port, refs, { headers: { ...bearer, ...more } })).status).toBe(403)
  for (const path of ['/git/HEAD', '/git/info/refs', '/git/..%2fgit.config', '/git/toString', '/git/packed-refs'])
    expect(`${path} ${(await ask(world.hub.port, path, { headers: bearer })).status}`).toBe(`${path} 404`)

  for (const ref of ['HEAD', '--exec=x', `${own}/..`, `${own}/1.lock`, 'refs/replace/x', own]) {
    const answer = await post(world, { token, body: commands([zeros, tip, ref]) })
    expect(`${ref} ${answer?.text.includes(`ng ${ref} `)}`).toBe(`${ref} true`)
  }
  const deletion = await post(world, { token, body: commands([tip, zeros, `${own}/1`]) })
  expect(deletion?.text).toContain('nobody removes a ref here')
  const many = Array.from({ length: 65 }, (_, i) => [zeros, tip, `${own}/${i}`] as const)
  for (const body of ['', 'zzzz', packet(`shallow ${tip} x\n`), commands(...many), 'f'.repeat(70_000)])
    expect(`${body} ${(await post(world, { token, body }))?.status ?? 400}`).toBe(`${body} 400`)

  const { fetchBytes, pushBytes, childrenEach } = limits.hub.git
  onTestFinished(() => void Object.assign(limits.hub.git, { fetchBytes, pushBytes, childrenEach }))
  Object.assign(limits.hub.git, { fetchBytes: 1_000_000, pushBytes: 200_000 })
  const bomb = gzipSync(Buffer.alloc(20_000_000, '0'))
  const zipped = { token, path: 'git-upload-pack', body: bomb, headers: { 'Content-Encoding': 'gzip' } }
  expect((await post(world, zipped))?.text ?? '').not.toContain('packfile')
  world.write('large.bin', world.noise(400_000))
  const sha = world.commitAll('large')
  const pushed = await world.gitAs(token, ['push', world.url, `${sha}:${own}/1`], 'north')
  expect(pushed.err).toMatch(/exceeds maximum allowed size/)
  const blob = world.raw(['hash-object', '-w', '--stdin'], Buffer.from('#!/bin/sh\n'))
  const tree = world.raw(
    ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'],
    Buffer.concat([Buffer.from('100755 .git\0'), Buffer.from(blob, 'hex')]),
  )
  const planted = world.git('commit-tree', tree, '-p', tip, '-m', 'planted')
  const refused = await world.gitAs(token, ['push', '--quiet', world.url, `${planted}:${own}/2`], 'north')
  expect(refused.err).toContain('hasDotgit')
  Object.assign(limits.hub.git, { childrenEach: 0 })
  expect((await ask(world.hub.port, refs, { headers: bearer })).status).toBe(429)
  expect(world.gitIn(world.mirror, 'for-each-ref')).toBe(before)
  expect(readdirSync(join(world.mirror, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([])
})

test('a client that falls silent is left, and so is git when its client has gone', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const token = await world.hub.token('north', 'worker')
  const { idleMs } = limits.hub.git
  onTestFinished(() => void Object.assign(limits.hub.git, { idleMs }))
  Object.assign(limits.hub.git, { idleMs: 200 })
  const half = () => {
    const sent = request({
      host: '127.0.0.1',
      port: world.hub.port,
      method: 'POST',
      path: '/git/git-receive-pack',
      agent: false,
      headers: {
        Host: `127.0.0.1:${world.hub.port}`,
        Authorization: `Bearer ${token}`,
        'Drydock-Host': 'north',
        'Content-Type': 'application/x-git-receive-pack-request',
        'Transfer-Encoding': 'chunked',
      },
    })
    sent.on('error', () => undefined)
    sent.write(`${commands([zeros, world.tip, `refs/drydock/snapshots/${story}/1`])}PACK`)
    return sent
  }
  const silent = half()
  await new Promise((resolve) => silent.on('close', resolve))
  // Longer than other work may block this process.
  Object.assign(limits.hub.git, { idleMs: 1_000 })
  // A client that keeps sending, and whose token is revoked in the meantime.
  const talking = request({
    host: '127.0.0.1',
    port: world.hub.port,
    method: 'POST',
    path: '/git/git-upload-pack',
    agent: false,
    headers: {
      Host: `127.0.0.1:${world.hub.port}`,
      Authorization: `Bearer ${await world.hub.token('ada', 'operator')}`,
      'Content-Type': 'application/x-git-upload-pack-request',
      'Transfer-Encoding': 'chunked',
    },
  }).on('error', () => undefined)
  const talk = setInterval(() => talking.write(packet(`want ${world.tip}\n`)), 20)
  const ended = new Promise((resolve) => talking.on('close', resolve))
  await world.running('upload-pack', 1)
  await world.hub.rows.deleteHubToken('ada')
  await ended
  clearInterval(talk)
  Object.assign(limits.hub.git, { idleMs })
  const gone = half()
  await world.running('receive-pack', 1)
  gone.destroy()
  await world.running('receive-pack', 0)
  expect(readdirSync(join(world.mirror, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([])
  expect(world.at(`refs/drydock/snapshots/${story}/1`)).toBe('')
})
