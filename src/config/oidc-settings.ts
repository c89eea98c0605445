import { DrydockError } from '../domain/drydock-error.ts'
import type { PersonRules } from '../domain/hub/person.ts'
import type { EnvironmentVariables } from './environment.ts'
import type { UserConfig } from './schema.ts'

type WithHub = Pick<UserConfig, 'hub'>

/** The settings with which a hub signs people in through OpenID. */
export interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client. */
  readonly clientSecret: string | null
  readonly scopes: readonly string[]
  readonly rules: PersonRules
  readonly sessionMs: number
}

/** Null if no provider is configured. Throws DrydockError `no_key` if its secret is not set. */
export function oidcSettings({ hub }: WithHub, env: EnvironmentVariables): OidcSettings | null {
  const { oidc } = hub
  if (oidc === undefined) return null
  return {
    issuer: oidc.issuer,
    clientId: oidc.client_id,
    scopes: oidc.scopes,
    clientSecret: oidc.client_secret_env === undefined ? null : secretIn(oidc.client_secret_env, env),
    rules: {
      roles: oidc.roles,
      otherwise: oidc.otherwise,
      groupsClaim: oidc.groups_claim,
      allowedEmailDomains: oidc.allowed_email_domains,
      allowedSubjects: oidc.allowed_subjects,
      nameClaim: oidc.name_claim ?? null,
    },
    sessionMs: oidc.session_hours * 3_600_000,
  }
}

function secretIn(name: string, env: EnvironmentVariables): string {
  const value = env[name]?.trim() ?? ''
  if (value !== '') return value
  throw new DrydockError('no_key', `The environment variable ${name} with the secret of hub.oidc is not set.`, {
    todo: `Set ${name} for drydock hub, or take client_secret_env out for a public client.`,
  })
}

/** The secret values. */
export function oidcSecrets({ hub }: WithHub, env: EnvironmentVariables): readonly string[] {
  const name = hub.oidc?.client_secret_env
  const value = name === undefined ? undefined : env[name]?.trim()
  return value ? [value] : []
}
