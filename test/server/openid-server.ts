import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createOpenIdProvider } from '../../src/adapters/identity/openid-provider.ts'
import type { PeopleDoor } from '../../src/app/commands/hub/sign-in-person.ts'
import { oidcSettings } from '../../src/config/oidc-settings.ts'
import { userSchema } from '../../src/config/schema.ts'
import { claimsIn } from '../../src/domain/hub/person.ts'

type Claims = Record<string, unknown>

export interface OpenIdServer {
  readonly issuer: string
  readonly secret: string
  /** People by their subject. */
  readonly people: Map<string, Claims>
  /** Subject of the next sign-in, without a form; null to show the form. */
  as: string | null
  /** Changes the issued identity, and its signing key. */
  tamper: ((claims: Claims) => Claims) | null
  key: KeyObject
  /** Starts accepting requests; from now on the provider knows the hub. */
  start(hub: string): void
  stop(): Promise<void>
  /** A hub's door to the provider. */
  door(oidc?: object): () => Promise<PeopleDoor | null>
  /**
   * Opens an address of the provider like a browser; returns the query that leads back to the hub.
   */
  visit(url: string): Promise<string>
}

/** A certified provider of OpenID Connect, on this machine. The provider ends with the test. */
export async function serveOpenId({ inIdToken = false } = {}): Promise<OpenIdServer> {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const stop = async () => {
    http.closeAllConnections()
    if (http.listening) await new Promise((resolve) => http.close(resolve))
  }
  onTestFinished(stop)
  const server: OpenIdServer = {
    issuer,
    secret: 'a-secret-of-the-hub-0123456789',
    people: new Map(),
    as: null,
    tamper: null,
    key: pair.privateKey,
    stop,
    start(hub) {
      const provider = new Provider(issuer, {
        clients: [
          { client_id: 'hub', client_secret: server.secret, redirect_uris: [`${hub}/signed-in`] },
          { client_id: 'another', client_secret: 'another-secret', redirect_uris: ['https://another.example/back'] },
        ],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups', 'preferred_username'] },
        conformIdTokenClaims: !inIdToken,
        cookies: { keys: ['a-key-for-cookies'] },
        jwks: { keys: [{ ...pair.privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] as never },
        features: { devInteractions: { enabled: server.as === null } },
        interactions: { url: (_, { uid }) => `/interaction/${uid}` },
        loadExistingGrant: async ({ oidc }) => {
          const grant = new provider.Grant({ accountId: oidc.session?.accountId ?? '', clientId: 'hub' })
          grant.addOIDCScope('openid email profile')
          await grant.save()
          return grant
        },
        findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...server.people.get(id) }) }),
      })
      provider.use(async (c, next) => {
        if (server.as !== null && c.path.startsWith('/interaction/')) {
          c.respond = false
          await provider.interactionFinished(c.req, c.res, { login: { accountId: server.as } })
          return
        }
        await next()
        const body = c.body as Claims | undefined
        if (c.path !== '/token' || server.tamper === null || typeof body?.id_token !== 'string') return
        body.id_token = signed(server.tamper(payloadOf(body.id_token)), server.key, body.id_token)
      })
      http.on('request', provider.callback())
    },
    door(oidc = {}) {
      const given = { issuer, client_id: 'hub', client_secret_env: 'HUB_SECRET', roles: {}, ...oidc }
      const settings = oidcSettings(userSchema.parse({ hub: { oidc: given } }), { HUB_SECRET: server.secret })
      if (settings === null) throw new Error('no settings')
      const { rules, sessionMs, ...client } = settings
      const wanted = claimsIn(rules)
      return async () => ({
        provider: createOpenIdProvider({ ...client, wanted }, createSystemClock()),
        rules,
        sessionMs,
      })
    },
    async visit(url) {
      const jar = new Map<string, string>()
      let next = new URL(url)
      while (next.origin === issuer) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
        for (const each of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
          jar.set(name, value)
        }
        const location = response.headers.get('location')
        if (location === null) throw new Error(`${next} ${response.status} ${await response.text()}`)
        next = new URL(location, next)
      }
      return next.search.slice(1)
    },
  }
  return server
}

function payloadOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

/** Keeps the header, so that it names the provider's key. */
function signed(claims: Claims, key: KeyObject, like: string): string {
  const text = `${like.split('.')[0]}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${text}.${createSign('sha256').update(text).sign(key).toString('base64url')}`
}

/** A key that the provider does not have. */
export function foreignKey(): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
}

export function digestOf(subject: string): string {
  return createHash('sha256').update(subject).digest('hex').slice(0, 24)
}
