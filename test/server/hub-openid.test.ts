import { describe, expect, test } from 'vitest'
import { createFlows } from '../../src/server/http/hub/provider-flow.ts'
import { type BareHub, bareHub, codeOf } from './bare-hub.ts'
import { type Answer, ask } from './browser.ts'
import { digestOf, foreignKey, type OpenIdServer, serveOpenId } from './openid-server.ts'

/** A browser on its way to the provider. */
interface SignInStart {
  readonly url: string
  readonly flow: string
  readonly cookie: string
}

const post = (hub: BareHub, path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  ask(hub.port, path, {
    method: 'POST',
    headers: { Origin: hub.url, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

async function begin(hub: BareHub): Promise<SignInStart> {
  const { status, headers, body } = await post(hub, '/session/provider', {})
  if (status !== 200) throw new Error(`${status} ${body}`)
  return { ...JSON.parse(body), cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
}

function finish(hub: BareHub, { flow, cookie }: Pick<SignInStart, 'flow' | 'cookie'>, answer: string): Promise<Answer> {
  return post(hub, '/session/provider/answer', { flow, answer }, { Cookie: cookie })
}

/** A hub whose users are known to a provider. */
async function world(oidc: object = {}, more: { readonly inIdToken?: boolean; readonly now?: () => Date } = {}) {
  const openid = await serveOpenId(more)
  openid.as = 'u-ada'
  openid.people.set('u-ada', { email: 'Ada@example.com', email_verified: true, groups: ['crew', 'all'] })
  const hub = await bareHub({
    openPeopleDoor: openid.door({ roles: { operator: { groups: ['crew'] } }, ...oidc }),
    ...(more.now && { now: more.now }),
  })
  openid.start(hub.url)
  return { openid, hub }
}

async function signIn({ openid, hub }: { readonly openid: OpenIdServer; readonly hub: BareHub }) {
  const begun = await begin(hub)
  const answer = await finish(hub, begun, await openid.visit(begun.url))
  const { session, actor, expires_at } = JSON.parse(answer.body)
  const cookie = answer.headers['set-cookie']?.find((each) => each.startsWith('drydock-hub='))?.split(';')[0] ?? ''
  return { answer, actor, expires_at, headers: { Authorization: `Bearer ${session}`, Cookie: cookie } }
}

describe('a person of a provider', () => {
  test.each([{ inIdToken: true }, { inIdToken: false }])(
    'has the role of a group, and a name that no token has ($inIdToken)',
    async (how) => {
      const { openid, hub } = await world({}, how)
      const { answer, actor, headers } = await signIn({ openid, hub })
      expect(answer.status).toBe(200)
      expect(actor).toEqual({ name: 'ada@example.com', role: 'operator', may: ['monitor', 'viewer', 'operator'] })
      const acting = { ...headers, Origin: hub.url, 'Content-Type': 'application/json' }
      const key = JSON.stringify({ key: JSON.parse(answer.body).key })
      const fresh = await ask(hub.port, '/api/session/token', { method: 'POST', headers: acting, body: key })
      const token = { 'Drydock-Token': JSON.parse(fresh.body).token }
      const pause = { method: 'POST', headers: { ...acting, ...token }, body: '{}' }
      expect((await ask(hub.port, '/api/runs/a/pause', pause)).status).toBe(202)
      expect(hub.commands).toEqual(['pause by ada@example.com'])
      expect((await ask(hub.port, '/api/tokens', { headers })).status).toBe(403)
      expect(hub.audit.some((line) => line.includes('"what":"sign_in","name":"ada@example.com"'))).toBe(true)
    },
  )

  test('is nobody unless a rule names them, whatever they say of themselves', async () => {
    const { openid, hub } = await world({
      roles: { admin: { emails: ['root@example.com'] }, viewer: { subjects: ['u-sub'], groups: ['crew'] } },
      allowed_email_domains: ['example.com'],
      allowed_subjects: ['u-sub'],
    })
    const tried: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      stranger: { email: 'eve@example.com', email_verified: true },
      unverified: { email: 'root@example.com', email_verified: false },
      words: { email: 'root@example.com', email_verified: 'true' },
      suffix: { email: 'root@example.com.evil.example', email_verified: true },
      twice: { email: 'root@evil.example@example.com', email_verified: true },
      outside: { email: 'root@other.example', email_verified: true, groups: ['crew'] },
      'u-sub': {},
      root: { email: 'ROOT@example.com', email_verified: true },
    }
    const found: Record<string, string> = {}
    for (const [subject, claims] of Object.entries(tried)) {
      openid.people.set(subject, claims)
      openid.as = subject
      const { answer, actor } = await signIn({ openid, hub })
      found[subject] = actor === undefined ? codeOf(answer) : `${actor.role} ${actor.name}`
      // Stays below the limit of one address.
      if (subject === 'outside') expect(await hub.rows.hubTokens()).toEqual([])
    }
    expect(found).toEqual({
      stranger: '403 not_allowed',
      unverified: '403 not_allowed',
      words: '403 not_allowed',
      suffix: '403 not_allowed',
      twice: '403 not_allowed',
      outside: '403 not_allowed',
      'u-sub': 'viewer oidc:sub:u-sub',
      root: 'admin root@example.com',
    })
  })

  test('has a name that nothing else looks like, and nobody takes it from them', async () => {
    const { openid, hub } = await world({
      otherwise: 'viewer',
      name_claim: 'preferred_username',
      allowed_subjects: ['a', 'b', 'AB|c', 'd'],
    })
    const nameOf = async (subject: string, preferred_username: unknown) => {
      openid.people.set(subject, { preferred_username })
      openid.as = subject
      const { answer, actor } = await signIn({ openid, hub })
      return actor?.name ?? codeOf(answer)
    }
    expect(await nameOf('a', 'Ada')).toBe('oidc:ada')
    expect(await nameOf('b', 'ada')).toBe('403 not_allowed')
    expect(await nameOf('b', 'a\nb')).toBe('oidc:sub:b')
    expect(await nameOf('AB|c', 7)).toBe(`oidc:digest:${digestOf('AB|c')}`)
    await hub.token('ada', 'admin')
    expect((await hub.rows.hubTokens()).map(({ name }) => name)).toContain('oidc:ada')
  })

  test('loses what they had when the provider says so, an admin does, or the hours are over', async () => {
    let hours = 0
    const { openid, hub } = await world({ session_hours: 3 }, { now: () => new Date(Date.now() + hours * 3_600_000) })
    const statusOf = async ({ headers }: { readonly headers: Readonly<Record<string, string>> }) =>
      (await ask(hub.port, '/api/runs', { headers })).status
    const [first, second] = [await signIn({ openid, hub }), await signIn({ openid, hub })]
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
    // A new sign-in after removal from the group ends all sessions of that person.
    openid.people.set('u-ada', { email: 'ada@example.com', email_verified: true, groups: [] })
    expect(codeOf((await signIn({ openid, hub })).answer)).toBe('403 not_allowed')
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401])
    openid.people.set('u-ada', { email: 'ada@example.com', email_verified: true, groups: ['crew'] })
    const third = await signIn({ openid, hub })
    await hub.rows.deleteHubToken('ada@example.com')
    expect(await statusOf(third)).toBe(401)
    const fourth = await signIn({ openid, hub })
    hours = 2.9
    expect(await statusOf(fourth)).toBe(200)
    hours = 3.1
    expect(await statusOf(fourth)).toBe(401)
  })

  test('is a stranger where no provider is configured any more, or another', async () => {
    const { openid, hub } = await world()
    const { headers } = await signIn({ openid, hub })
    const other = await serveOpenId()
    for (const openPeopleDoor of [async () => null, other.door({ roles: { operator: { groups: ['crew'] } } })]) {
      const again = await bareHub({
        openPeopleDoor,
        openHubRows: async () => ({ ...hub.rows, close: async () => {} }),
      })
      expect((await ask(again.port, '/api/runs', { headers })).status).toBe(401)
    }
    expect((await ask(hub.port, '/api/runs', { headers })).status).toBe(200)
  })
})

describe('a sign-in with a provider is refused', () => {
  test('without both of its halves, in another browser, a second time, and when it is too old', async () => {
    let minutes = 0
    const { openid, hub } = await world({}, { now: () => new Date(Date.now() + minutes * 60_000) })
    const [mine, theirs] = [await begin(hub), await begin(hub)]
    const [answer, other] = [await openid.visit(mine.url), await openid.visit(theirs.url)]
    const refused = '403 sign_in_failed'
    // Login CSRF: an attacker tries to sign somebody's browser in as another user.
    expect(codeOf(await finish(hub, mine, other))).toBe(refused)
    expect(codeOf(await finish(hub, { ...mine, cookie: '' }, answer))).toBe(refused)
    expect(codeOf(await finish(hub, { ...mine, flow: theirs.flow }, answer))).toBe(refused)
    expect(codeOf(await finish(hub, { ...mine, cookie: theirs.cookie }, answer))).toBe(refused)
    expect(codeOf(await finish(hub, { ...mine, cookie: mine.cookie.replace(/.{9}$/, 'AAAAAAAAA') }, answer))).toBe(
      refused,
    )
    expect((await finish(hub, mine, answer)).status).toBe(200)
    expect(codeOf(await finish(hub, mine, answer))).toBe(refused)
    // A used code with a new sign-in.
    const late = await begin(hub)
    const state = new URL(late.url).searchParams.get('state') ?? ''
    const replayed = new URLSearchParams(answer)
    replayed.set('state', state)
    expect(codeOf(await finish(hub, late, `${replayed}`))).toBe(refused)
    minutes = 11
    expect(codeOf(await finish(hub, theirs, other))).toBe(refused)
    expect(await hub.rows.hubTokens()).toHaveLength(1)
    for (const line of hub.audit) expect(line).not.toMatch(/code=|u-ada/)
  })

  test('once it has let somebody in, whatever the provider says, and in another start of the hub', () => {
    const [flows, another] = [createFlows(() => new Date()), createFlows(() => new Date())]
    const begun = { redirectUri: 'https://hub.example/signed-in', state: 's', nonce: 'n', verifier: 'v', pageHash: 'p' }
    const sealed = flows.seal(begun)
    const flow = flows.open(sealed)
    expect(flow).toMatchObject(begun)
    expect(another.open(sealed)).toBeNull()
    if (flow !== null) flows.use(flow)
    expect(flows.open(sealed)).toBeNull()
    expect(sealed).not.toContain(Buffer.from('hub.example').toString('base64url'))
  })

  test('with another state, another issuer, twice the same, an error, or nothing', async () => {
    const { openid, hub } = await world()
    const changes: readonly ((answer: URLSearchParams) => void)[] = [
      (answer) => answer.set('state', 'another'),
      (answer) => answer.delete('state'),
      (answer) => answer.set('iss', 'https://evil.example'),
      (answer) => answer.delete('iss'),
      (answer) => answer.append('code', 'another'),
      (answer) => answer.delete('code'),
      (answer) => answer.set('error', '<b>access_denied</b>'),
    ]
    for (const change of changes) {
      const begun = await begin(hub)
      const answer = new URLSearchParams(await openid.visit(begun.url))
      change(answer)
      const { status, body } = await finish(hub, begun, `${answer}`)
      expect(`${change} ${status} ${JSON.parse(body).code}`).toBe(`${change} 403 sign_in_failed`)
      expect(body).not.toContain('<b>')
    }
    expect(await hub.rows.hubTokens()).toEqual([])
  })

  test('with an identity for another hub, of another nonce or maker, too old, or with a foreign signature', async () => {
    const now = Math.floor(Date.now() / 1_000)
    const bad: readonly object[] = [
      { aud: 'another' },
      { aud: ['hub', 'another'], azp: 'another' },
      { nonce: 'another' },
      { nonce: undefined },
      { iss: 'https://evil.example' },
      { exp: now - 60 },
      { iat: now + 600, nbf: now + 600 },
      { sub: undefined },
      { sub: 'u-root' },
    ]
    const { openid, hub } = await world()
    for (const change of bad) {
      openid.tamper = (claims) => ({ ...claims, ...change })
      const { answer } = await signIn({ openid, hub })
      expect(`${JSON.stringify(change)} ${codeOf(answer)}`).toBe(`${JSON.stringify(change)} 403 sign_in_failed`)
    }
    expect(await hub.rows.hubTokens()).toEqual([])
    // Clocks may be off by seconds.
    const calm = await world()
    calm.openid.tamper = (claims) => {
      const later = Math.floor(Date.now() / 1_000)
      return { ...claims, exp: later - 10, iat: later + 10 }
    }
    expect((await signIn(calm)).answer.status).toBe(200)
    calm.openid.tamper = (claims) => claims
    calm.openid.key = foreignKey()
    expect(codeOf((await signIn(calm)).answer)).toBe('403 sign_in_failed')
  })

  test('from another site, and after ten failures for a minute; a token still works', async () => {
    const { openid, hub } = await world()
    const evil = { Origin: 'https://evil.example' }
    expect(codeOf(await post(hub, '/session/provider', {}, evil))).toBe('403 foreign_request')
    expect(codeOf(await post(hub, '/session/provider', {}, { 'Sec-Fetch-Site': 'cross-site' }))).toBe(
      '403 foreign_request',
    )
    const begun = await begin(hub)
    const answer = await openid.visit(begun.url)
    for (let n = 0; n < 10; n += 1) await finish(hub, { ...begun, flow: 'x' }, answer)
    expect(codeOf(await finish(hub, begun, answer))).toBe('429 too_many_failures')
  })

  test('while the provider is unreachable, and says so; tokens and sessions keep working', async () => {
    const { openid, hub } = await world()
    const page = await hub.signIn(await hub.token('eve', 'viewer'))
    const { headers } = await signIn({ openid, hub })
    const begun = await begin(hub)
    const answer = await openid.visit(begun.url)
    await openid.stop()
    const refused = await finish(hub, begun, answer)
    expect(codeOf(refused)).toBe('503 identity_unreachable')
    expect(JSON.parse(refused.body).todo).toContain('personal token')
    expect((await ask(hub.port, '/api/runs', { headers })).status).toBe(200)
    expect((await ask(hub.port, '/api/runs', { headers: page.headers })).status).toBe(200)
    const fresh = await bareHub({ openPeopleDoor: openid.door() })
    expect(codeOf(await post(fresh, '/session/provider', {}))).toBe('503 identity_unreachable')
    expect(fresh.audit.at(-1)).toMatch(/"provider_failed","why":"identity_unreachable [A-Z_ ]*ECONNREFUSED"/)
    const nothing = await bareHub()
    expect(codeOf(await post(nothing, '/session/provider', {}))).toBe('404 not_found')
  })
})
