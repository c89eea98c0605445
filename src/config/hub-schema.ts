import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { isLoopback } from '../domain/loopback.ts'

/** `hub` of the user's file: the people who may use a hub without a token. */

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' })

const text = z.string().trim().min(1).max(200)

/** Must be encrypted, since codes and tokens are sent there. */
const issuer = z
  .url({ protocol: /^https?$/, error: 'must be an https URL' })
  .refine((url) => !URL.canParse(url) || isSafe(new URL(url)), {
    error: 'must be an https URL without user, query and fragment; http only on this machine',
  })

function isSafe({ protocol, hostname, username, password, search, hash }: URL): boolean {
  const isLocal = isLoopback(hostname)
  return (protocol === 'https:' || isLocal) && username + password + search + hash === ''
}

const domain = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/, { error: 'must be a domain' })

const named = z
  .strictObject({
    groups: z.array(text).default([]).describe('Groups of the provider.'),
    emails: z.array(text).default([]).describe('Email addresses that the provider has verified.'),
    subjects: z.array(text).default([]).describe('Values of the claim `sub`.'),
  })
  .describe('The people who have this role.')

const oidc = z
  .strictObject({
    issuer: issuer.describe('URL of the provider.'),
    client_id: text.describe('The name of this hub at the provider.'),
    client_secret_env: variable
      .exactOptional()
      .describe('The environment variable with the secret of the client. Without it the hub is a public client.'),
    scopes: z.array(text).default(['openid', 'email', 'profile']).describe('What the hub asks to know.'),
    roles: z.strictObject({ viewer: named.prefault({}), operator: named.prefault({}), admin: named.prefault({}) }),
    otherwise: z
      .enum(['nobody', 'viewer', 'operator'])
      .default('nobody')
      .describe('The role of people whom no rule names.'),
    allowed_email_domains: z.array(domain).default([]).describe('People with other verified addresses are refused.'),
    allowed_subjects: z.array(text).default([]).describe('People with these values of `sub` are not refused.'),
    groups_claim: text.default('groups').describe('The claim that has the groups.'),
    name_claim: text.exactOptional().describe('The claim that has the names of people. Default: the verified email.'),
    session_hours: z
      .int()
      .min(1)
      .max(limits.dashboard.sessionMs / 3_600_000)
      .default(limits.dashboard.sessionMs / 3_600_000)
      .describe('Hours until somebody has to sign in again.'),
  })
  .refine(({ scopes }) => scopes.includes('openid'), { path: ['scopes'], error: 'must contain "openid"' })
  .refine(
    ({ otherwise, allowed_email_domains, allowed_subjects }) =>
      otherwise === 'nobody' || allowed_email_domains.length + allowed_subjects.length > 0,
    {
      path: ['otherwise'],
      error: 'would let in everybody whom the provider knows: name allowed_email_domains or allowed_subjects as well',
    },
  )
  .describe('People sign in to a hub with an OpenID provider.')

export const hubSchema = z.strictObject({ oidc: oidc.exactOptional() })
