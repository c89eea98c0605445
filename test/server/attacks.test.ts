import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '../../src/api/route.ts'
import { routes } from '../../src/api/routes.ts'
import { tokenHeader } from '../../src/api/session.ts'
import { type Bare, serveBare } from './bare-server.ts'
import { type Asking, ask, type Page, signIn } from './browser.ts'
import { inProcess } from './in-process.ts'

const files = { 'index.html': '<!doctype html>page', 'assets/app-1.js': 'start()', 'theme.js': 'theme()' }
let bare: Bare
let page: Page
/** The headers of the dashboard itself. */
let own: Readonly<Record<string, string>>

beforeAll(async () => {
  bare = await serveBare(files, { listen: inProcess })
  page = await signIn(bare.link)
  own = await page.acting()
})

afterAll(() => bare.remove())

const all = Object.values<Route>(routes).map(({ method, path, needs }) => ({
  method: method.toUpperCase(),
  needs,
  path: path.replaceAll(/:\w+/g, 'x'),
}))
const api = all.filter(({ path }) => path.startsWith('/api/'))
const writes = all.filter(({ method }) => method === 'POST')
/** A question that is posted because it is long has no effect on the state. */
const acts = writes.filter(({ path, needs }) => !path.includes('session') && needs !== 'session')

async function codeOf(path: string, asking: Asking): Promise<string> {
  const { status, body } = await ask(bare.port, path, asking)
  return `${status} ${body.startsWith('{') ? JSON.parse(body).code : body}`
}

describe('the dashboard refuses', () => {
  test.each(all)('$method $path from a page of another site', async ({ method, path }) => {
    for (const Origin of [
      'http://evil.example',
      'null',
      `http://127.0.0.1:${bare.port + 1}`,
      `https://127.0.0.1:${bare.port}`,
    ]) {
      expect(await codeOf(path, { method, headers: { ...own, Origin }, body: body(method) })).toBe(
        '403 foreign_request',
      )
    }
  })

  test.each(all)('$method $path under a name that was pointed at this machine', async ({ method, path }) => {
    for (const Host of [
      `evil.example:${bare.port}`,
      'evil.example',
      '127.0.0.1',
      'localhost',
      `127.0.0.1:${bare.port + 1}`,
      `0.0.0.0:${bare.port}`,
    ]) {
      const headers = { ...own, Host, Origin: `http://${Host}` }
      expect(await codeOf(path, { method, headers, body: body(method) })).toBe('403 foreign_request')
    }
  })

  test.each(api)('$method $path without a session', async ({ method, path }) => {
    const { session, key } = page
    const forged = ['', 'Bearer', 'Bearer 1.2.3', `Bearer ${key}`, `Basic ${session}`, `Bearer x${session}`]
    for (const Authorization of [...forged, `Bearer ${session.slice(0, -1)}`, `Bearer 9${session}`]) {
      const headers = { ...own, Authorization, Cookie: `drydock_000000000000=${session}` }
      expect(await codeOf(path, { method, headers, body: body(method) })).toBe('401 not_signed_in')
    }
  })

  test.each(acts)('$method $path with a session but without a token of the last minutes', async ({ method, path }) => {
    const { [tokenHeader]: token = '', ...headers } = own
    for (const forged of [
      '',
      'x',
      page.key,
      page.session,
      token.slice(0, -1),
      `9${token}`,
      token.replace(/^\d+/, '1'),
    ]) {
      const asking = { method, headers: { ...headers, [tokenHeader]: forged }, body: body(method) }
      expect(await codeOf(path, asking)).toBe('403 not_fresh')
    }
  })

  test('a token for a session without its key, and the token of another session', async () => {
    const other = await signIn((await bare.again()).link)
    for (const key of ['x', page.session, other.key]) {
      const asking = { method: 'POST', headers: own, body: JSON.stringify({ key }) }
      expect(await codeOf('/api/session/token', asking)).toBe('403 not_fresh')
    }
    const headers = { ...(await other.acting()), Origin: bare.url, Authorization: own.Authorization ?? '' }
    expect(await codeOf('/api/tasks', { method: 'POST', headers, body: '{}' })).toBe('403 not_fresh')
  })

  test.each(writes)('$method $path without an Origin, whatever the session', async ({ method, path }) => {
    const { Origin: _, ...headers } = own
    expect(await codeOf(path, { method, headers, body: body(method) })).toBe('403 foreign_request')
  })

  test.each(writes)('$method $path as a form, which any page can send', async ({ method, path }) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '', 'text/plain; application/json']) {
      const headers = { ...own, 'Content-Type': type }
      expect(await codeOf(path, { method, headers, body: body(method) })).toBe('400 bad_usage')
    }
  })

  test.each(all)('$method $path with a token in the address', async ({ method, path }) => {
    const token = new URL(bare.link).hash.replace('#token=', '')
    expect(await codeOf(`${path}?token=${token}`, { method, headers: own, body: body(method) })).toBe('400 bad_usage')
  })

  test('a request that the browser marks as coming from another site, even without an Origin', async () => {
    for (const site of ['cross-site', 'same-site']) {
      expect(await codeOf('/api/runs', { headers: { ...page.headers, 'Sec-Fetch-Site': site } })).toBe(
        '403 foreign_request',
      )
    }
  })

  test('and none of all that had an effect', async () => {
    expect(bare.commands).toEqual([])
    expect(await page.post('/api/runs/a/cancel', {})).toEqual({ status: 202, body: { run: 'a', handed: 'recorded' } })
    expect(bare.commands).toEqual(['cancel'])
  })

  test('a body that is too large, also when it does not say so', async () => {
    const large = JSON.stringify({ task: 'x'.repeat(4 * 1024 ** 2) })
    expect(await codeOf('/api/tasks', { method: 'POST', headers: own, body: large })).toBe('413 bad_usage')
    const headers = { ...own, 'Transfer-Encoding': 'chunked' }
    expect(await codeOf('/api/tasks', { method: 'POST', headers, body: large })).toBe('413 bad_usage')
  })

  test('a body that is not JSON, lacks a field, or has an unknown one', async () => {
    for (const bad of [
      '{',
      '[]',
      'null',
      '{}',
      '{"task":""}',
      '{"task":"x","apply":true}',
      '{"task":"x","models":{"default":"no-provider"}}',
    ]) {
      expect(await codeOf('/api/tasks', { method: 'POST', headers: own, body: bad })).toBe('400 bad_usage')
    }
    for (const path of [
      '/api/events?after=-1',
      '/api/events?after=x',
      '/api/runs/x/timeline?limit=0',
      '/api/runs/x/timeline?limit=1&limit=2',
    ]) {
      expect(await codeOf(path, { headers: own })).toBe('400 bad_usage')
    }
  })

  test('other methods, and routes that it has not', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expect(await codeOf('/api/runs', { method, headers: own })).toBe('404 not_found')
    }
    expect(await codeOf('/api/nothing', { headers: own })).toBe('404 not_found')
    expect(await codeOf('/api/nothing', {})).toBe('401 not_signed_in')
  })
})

function body(method: string): string {
  return method === 'POST' ? '{}' : ''
}

describe('served files', () => {
  let over: Bare
  beforeAll(async () => {
    over = await serveBare(files)
  })
  afterAll(() => over.remove())

  test('is reached on this machine alone', async () => {
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((each) => each !== undefined && !each.internal && each.family === 'IPv4')
    for (const address of [...others.map((each) => each?.address ?? ''), '127.0.0.2', '::1']) {
      await expect(reach(over.port, address)).resolves.toBe('refused')
    }
  })

  test.each(['/', '/assets/app-1.js', '/api/runs', '/api/nothing', '/nothing.js'])(
    '%s comes with headers that allow nothing else',
    async (path) => {
      const { headers } = await ask(bare.port, path, { headers: own })
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        ...(path.startsWith('/api') && { 'cache-control': 'no-store' }),
      })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    },
  )

  test('is the built dashboard and nothing outside of its folder', async () => {
    const folder = join(over.root, 'dashboard')
    await writeFile(join(over.root, 'secret.txt'), 'secret')
    await mkdir(join(over.root, 'dashboard-2'))
    await writeFile(join(over.root, 'dashboard-2', 'secret.txt'), 'secret')
    await symlink('../secret.txt', join(folder, 'link.txt'))
    await writeFile(join(folder, 'program.sh'), 'secret')
    const files = [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/link.txt',
      '/%00.txt',
    ]
    for (const path of [
      ...files,
      '/..%2fdashboard-2/secret.txt',
      '/program.sh',
      '/..%5csecret.txt',
      '/%ff.txt',
      `/${encodeURIComponent(join(over.root, 'secret.txt'))}`,
    ]) {
      const { status, body: content } = await ask(over.port, path)
      expect(`${path} ${[400, 404].includes(status)} ${content.includes('secret"') || content === 'secret'}`).toBe(
        `${path} true false`,
      )
    }
    const found = await Promise.all(
      ['/', '/board', '/assets/app-1.js', '/theme.js'].map((path) => ask(over.port, path)),
    )
    expect(
      found.map(({ status, headers, body: content }) => [
        status,
        headers['content-type'],
        headers['cache-control'],
        content,
      ]),
    ).toEqual([
      [200, 'text/html; charset=utf-8', 'no-cache', '<!doctype html>page'],
      [200, 'text/html; charset=utf-8', 'no-cache', '<!doctype html>page'],
      [200, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', 'start()'],
      [200, 'text/javascript; charset=utf-8', 'no-cache', 'theme()'],
    ])
  })

  test('says what to run when nothing is built', async () => {
    const empty = await serveBare({}, { listen: inProcess })
    const { status, body: content } = await ask(empty.port, '/')
    expect([status, content]).toEqual([503, expect.stringContaining('npm run build:dashboard')])
    await empty.remove()
  })

  test('tells of a bug that there was one', async () => {
    expect(await ask(bare.port, '/api/settings', { headers: own })).toMatchObject({
      status: 500,
      body: JSON.stringify({
        code: 'bug',
        message: 'Drydock itself failed: a planted failure',
        todo: 'Please report it, with what the terminal says.',
      }),
    })
  })
})

/** Tries to connect to the dashboard's port at another address. */
function reach(port: number, address: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, address)
    socket.once('connect', () => {
      socket.destroy()
      resolve('reached')
    })
    socket.once('error', () => resolve('refused'))
  })
}
