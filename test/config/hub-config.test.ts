import { expect, test } from 'vitest'
import { knownSecrets } from '../../src/config/known-secrets.ts'
import { oidcSettings } from '../../src/config/oidc-settings.ts'
import { userSchema } from '../../src/config/schema.ts'

const least = { issuer: 'https://id.example.com', client_id: 'hub', roles: {} }

/** The paths of the settings that the schema refuses. */
function problemsOf(oidc: object): readonly string[] {
  const { error } = userSchema.safeParse({ hub: { oidc: { ...least, ...oidc } } })
  return (error?.issues ?? []).map(({ path }) => path.join('.'))
}

test('nobody has a role unless it is written, and nobody reads what goes to the provider', () => {
  expect(oidcSettings(userSchema.parse({ hub: { oidc: least } }), {})).toMatchObject({
    clientSecret: null,
    scopes: ['openid', 'email', 'profile'],
    sessionMs: 43_200_000,
    rules: { otherwise: 'nobody', roles: { admin: { groups: [], emails: [], subjects: [] } } },
  })
  expect(oidcSettings(userSchema.parse({}), {})).toBeNull()
  for (const issuer of ['http://id.example.com', 'https://a:b@id.example.com', 'https://x/?a', 'ftp://x', 'x'])
    expect(problemsOf({ issuer })).toContain('hub.oidc.issuer')
  expect(problemsOf({ issuer: 'http://127.0.0.1:9' })).toEqual([])
})

test('a role for everybody needs a bound, and a role of machines is none for people', () => {
  expect(problemsOf({ otherwise: 'viewer' })).toEqual(['hub.oidc.otherwise'])
  expect(problemsOf({ otherwise: 'viewer', allowed_email_domains: ['example.com'] })).toEqual([])
  expect(problemsOf({ otherwise: 'admin', allowed_subjects: ['a'] })).toEqual(['hub.oidc.otherwise'])
  expect(problemsOf({ roles: { worker: { groups: ['x'] } } })).toEqual(['hub.oidc.roles'])
  expect(problemsOf({ scopes: ['email'] })).toEqual(['hub.oidc.scopes'])
  expect(problemsOf({ session_hours: 13 })).toEqual(['hub.oidc.session_hours'])
})

test('the secret of the client is one of those that are never shown, and its absence is said', () => {
  const user = userSchema.parse({ hub: { oidc: { ...least, client_secret_env: 'MY_OIDC' } } })
  expect(knownSecrets({ HOME: '/nobody', MY_OIDC: 'hush-hush-hush' }, user)).toContain('hush-hush-hush')
  expect(() => oidcSettings(user, {})).toThrow('MY_OIDC')
})
