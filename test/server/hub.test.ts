import { describe, expect, test } from 'vitest'
import type { Route } from '../../src/api/route.ts'
import { routes } from '../../src/api/routes.ts'
import { tokenHeader } from '../../src/api/session.ts'
import { isAllowed, roles } from '../../src/domain/hub/role.ts'
import { limits } from '../../src/domain/limits.ts'
import { bareHub, codeOf, serveBareHub, signInWith } from './bare-hub.ts'
import { ask, followStream } from './browser.ts'

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const isMachine = (role: string) => role === 'worker' || role === 'monitor'
const acting = (token: string) => ({ ...bearer(token), 'Content-Type': 'application/json' })

describe('who may ask', () => {
  test('every route declares who, and lets nobody in but these, by token and by session', async () => {
    const hub = await bareHub()
    const guarded = Object.entries<Route>(routes).filter(([, { role }]) => role !== 'anyone')
    expect(
      Object.entries<Route>(routes)
        .filter(([, { role }]) => role === 'anyone')
        .map(([name]) => name),
    ).toEqual(['openSession', 'startSignIn', 'finishSignIn'])
    const found: string[] = []
    const wanted: string[] = []
    for (const role of roles) {
      const token = await hub.token(`a-${role}`, role)
      const page = isMachine(role) ? null : await hub.signIn(token)
      for (const [name, { method, path, role: needs }] of guarded) {
        if (name === 'events' || name === 'endSessions' || needs === 'anyone') continue
        const at = path.replaceAll(/:\w+/g, 'x')
        const asking = { method: method.toUpperCase(), ...(method === 'post' && { body: '{}' }) }
        const tried = [acting(token), ...(page === null ? [] : [isMachine(role) ? {} : await page.acting()])]
        for (const headers of tried) {
          const code = codeOf(await ask(hub.port, at, { ...asking, headers }))
          found.push(`${role} ${name} ${code === '403 not_allowed' ? 'refused' : 'admitted'}`)
          wanted.push(`${role} ${name} ${isAllowed(role, needs) ? 'admitted' : 'refused'}`)
        }
      }
    }
    expect(found).toEqual(wanted)
    expect(isAllowed('viewer', 'operator') || isAllowed('operator', 'admin') || isAllowed('worker', 'viewer')).toBe(
      false,
    )
  })

  test('a command records its user, and a viewer can give none', async () => {
    const hub = await bareHub()
    const [ada, eve] = [await hub.token('ada', 'operator'), await hub.token('eve', 'viewer')]
    const page = await hub.signIn(ada)
    const asking = { method: 'POST', body: '{}' }
    expect((await ask(hub.port, '/api/runs/a/pause', { ...asking, headers: acting(ada) })).status).toBe(202)
    expect((await ask(hub.port, '/api/runs/a/cancel', { ...asking, headers: await page.acting() })).status).toBe(202)
    expect(codeOf(await ask(hub.port, '/api/runs/a/cancel', { ...asking, headers: acting(eve) }))).toBe(
      '403 not_allowed',
    )
    expect(hub.commands).toEqual(['pause by ada', 'cancel by ada'])
    expect(hub.audit.at(-1)).toMatch(
      /^audit \{"at":"[^"]+","what":"refused","code":"not_allowed","name":"eve","route":"cancel","needs":"operator","from":"127\.0\.0\.1"\}$/,
    )
  })

  test('an admin keeps tokens, which are shown once', async () => {
    const hub = await bareHub()
    const admin = acting(await hub.token('root', 'admin'))
    const body = JSON.stringify({ name: 'ada', role: 'viewer', expires: '1d' })
    const added = await ask(hub.port, '/api/tokens', { method: 'POST', headers: admin, body })
    const { token } = JSON.parse(added.body)
    expect((await ask(hub.port, '/api/runs', { headers: bearer(token) })).status).toBe(200)
    const list = await ask(hub.port, '/api/tokens', { headers: admin })
    expect(JSON.parse(list.body).tokens).toMatchObject([{ name: 'root' }, { name: 'ada', role: 'viewer' }])
    expect(list.body).not.toContain(token)
    const revoking = { method: 'POST', headers: admin, body: '{}' }
    expect((await ask(hub.port, '/api/tokens/ada/revoke', revoking)).status).toBe(204)
    expect((await ask(hub.port, '/api/runs', { headers: bearer(token) })).status).toBe(401)
    expect(codeOf(await ask(hub.port, '/api/tokens/ada/revoke', revoking))).toBe('404 not_found')
    for (const name of ['', 'A', 'a b', '../x', 'a\nb', 'x'.repeat(41), '-a', '\u001b[31m']) {
      const bad = { method: 'POST', headers: admin, body: JSON.stringify({ name, role: 'viewer' }) }
      expect(`${name} ${codeOf(await ask(hub.port, '/api/tokens', bad))}`).toBe(`${name} 400 bad_usage`)
    }
    expect(hub.audit.filter((line) => line.includes('"what":"token_'))).toHaveLength(2)
  })
})

describe('a session', () => {
  test('is in a cookie that no script reads and no other site sends, and of no use without its other half', async () => {
    const hub = await bareHub()
    const page = await hub.signIn(await hub.token('ada', 'operator'))
    expect(page.cookie).toMatch(/^drydock-hub=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/)
    const statusWith = async (headers: Readonly<Record<string, string>>) =>
      (await ask(hub.port, '/api/runs', { headers })).status
    const { Authorization = '', Cookie = '' } = page.headers
    expect(await statusWith(page.headers)).toBe(200)
    expect(await statusWith({ Cookie })).toBe(401)
    expect(await statusWith({ Authorization })).toBe(401)
    const other = await hub.signIn(await hub.token('eve', 'viewer'))
    expect(await statusWith({ Authorization, Cookie: other.headers.Cookie ?? '' })).toBe(401)
  })

  test('and its stream end when the token is revoked, also by another process, and so does the token', async () => {
    const hub = await bareHub()
    const token = await hub.token('ada', 'operator')
    const page = await hub.signIn(token)
    const ofPage = await followStream(hub.port, '/api/events', page.headers)
    const ofProgram = await followStream(hub.port, '/api/events', bearer(token))
    await Promise.all([ofPage.untilOwned(false), ofProgram.untilOwned(false)])
    const fresh = await page.acting()
    await hub.rows.deleteHubToken('ada')
    await Promise.all([ofPage.ended, ofProgram.ended])
    for (const headers of [page.headers, bearer(token)])
      expect((await ask(hub.port, '/api/runs', { headers })).status).toBe(401)
    const asking = { method: 'POST', headers: fresh, body: '{}' }
    expect((await ask(hub.port, '/api/runs/a/cancel', asking)).status).toBe(401)
    // A new token of the same name does not revive old sessions.
    await hub.token('ada', 'admin')
    expect((await ask(hub.port, '/api/runs', { headers: page.headers })).status).toBe(401)
    expect(hub.commands).toEqual([])
  })

  test('ends when its browser signs out, and no other does', async () => {
    const hub = await bareHub()
    const token = await hub.token('ada', 'viewer')
    const [page, other] = [await hub.signIn(token), await hub.signIn(token)]
    const headers = { ...page.headers, Origin: hub.url, 'Content-Type': 'application/json' }
    const left = await ask(hub.port, '/api/session/end', { method: 'POST', headers, body: '{}' })
    expect([left.status, left.headers['set-cookie']?.[0]]).toEqual([204, expect.stringContaining('Max-Age=0')])
    const statuses = [page, other].map((each) => ask(hub.port, '/api/runs', { headers: each.headers }))
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([401, 200])
  })

  test('is over with its token, or after twelve hours', async () => {
    let hours = 0
    const hub = await bareHub({ now: () => new Date(Date.now() + hours * 3_600_000) })
    const short = await hub.signIn(await hub.token('short', 'viewer', '2h'))
    const long = await hub.signIn(await hub.token('long', 'viewer'))
    const statuses = async () =>
      Promise.all([short, long].map(async ({ headers }) => (await ask(hub.port, '/api/runs', { headers })).status))
    hours = 1.9
    expect(await statuses()).toEqual([200, 200])
    hours = 2.1
    expect(await statuses()).toEqual([401, 200])
    hours = 12.1
    expect(await statuses()).toEqual([401, 401])
  })
})

describe('a hub refuses', () => {
  test('what acts for a browser from another site, without an Origin, or without a fresh token', async () => {
    const hub = await bareHub()
    const page = await hub.signIn(await hub.token('ada', 'operator'))
    const good = await page.acting()
    const { Origin: _, ...noOrigin } = good
    const forged = [
      [{ ...good, Origin: 'https://evil.example' }, '403 foreign_request'],
      [{ ...good, Origin: 'null' }, '403 foreign_request'],
      [noOrigin, '403 foreign_request'],
      [{ ...good, 'Sec-Fetch-Site': 'same-site' }, '403 foreign_request'],
      [{ ...good, 'Content-Type': 'text/plain' }, '400 bad_usage'],
      [{ ...good, [tokenHeader]: '9999999999999.x' }, '403 not_fresh'],
      [{ ...good, Host: 'evil.example' }, '403 foreign_request'],
      [{ ...good, Host: `evil.example:${hub.port}`, Origin: `http://evil.example:${hub.port}` }, '403 foreign_request'],
    ] as const
    for (const [headers, code] of forged) {
      expect(codeOf(await ask(hub.port, '/api/runs/a/cancel', { method: 'POST', headers, body: '{}' }))).toBe(code)
    }
    expect(hub.commands).toEqual([])
  })

  test('a token in an address, and says nothing of it in its lines', async () => {
    const hub = await bareHub()
    const token = await hub.token('ada', 'admin')
    for (const path of [`/api/runs?token=${token}`, `/api/runs?x=${token}`, `/?a=${token}`, `/api/runs/${token}`]) {
      expect(codeOf(await ask(hub.port, path, { headers: bearer(token) }))).toBe('400 bad_usage')
    }
    expect(hub.audit.join()).not.toContain(token)
  })

  test('sign-ins of an address that has failed too often, and goes on to serve whoever is signed in', async () => {
    const hub = await bareHub()
    const token = await hub.token('ada', 'viewer')
    const page = await hub.signIn(token)
    const wrong = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
    for (let n = 0; n < limits.hub.failures; n += 1) {
      const tried =
        n % 2 === 0
          ? await ask(hub.port, '/session', signInWith(hub.url, wrong))
          : await ask(hub.port, '/api/runs', { headers: bearer(wrong) })
      expect(codeOf(tried)).toBe('401 not_signed_in')
    }
    expect(codeOf(await ask(hub.port, '/session', signInWith(hub.url, token)))).toBe('429 too_many_failures')
    expect(codeOf(await ask(hub.port, '/api/runs', { headers: bearer(token) }))).toBe('429 too_many_failures')
    expect((await ask(hub.port, '/api/runs', { headers: page.headers })).status).toBe(200)
    expect(hub.audit.filter((line) => line.includes('sign_in_failed'))).toHaveLength(limits.hub.failures)
  })

  test('a path that is not exactly a route, whatever it looks like', async () => {
    const hub = await serveBareHub()
    const viewer = bearer(await hub.token('eve', 'viewer'))
    for (const path of [
      '/api/tokens/',
      '/api//tokens',
      '/API/tokens',
      '/api/%74okens',
      '/api/./tokens',
      '/api/runs/../tokens',
      '/api/tokens%00',
      '//api/tokens',
    ]) {
      const { status, body } = await ask(hub.port, path, { headers: viewer })
      expect(`${path} ${body.includes('created_at')} ${[200, 400, 403, 404].includes(status)}`).toBe(
        `${path} false true`,
      )
    }
    for (const path of ['/api/tokens', '/api/%74okens', '/api/settings'])
      expect((await ask(hub.port, path)).status).toBe(401)
  })

  test('more refusals in its lines than a log can bear', async () => {
    const hub = await bareHub()
    for (let n = 0; n < limits.hub.audited + 30; n += 1)
      await ask(hub.port, '/api/runs', { headers: { Host: `x${n}` } })
    expect(hub.audit).toHaveLength(limits.hub.audited)
  })
})
