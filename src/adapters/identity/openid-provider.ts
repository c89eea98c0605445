import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { IdentityProvider } from '../../ports/hub/identity-provider.ts'

/** A provider, and this hub's registration as its client. */
export interface OpenIdClient {
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client. */
  readonly clientSecret: string | null
  readonly scopes: readonly string[]
  /** Claims to request from the userinfo endpoint if the signed token lacks them. */
  readonly wanted: readonly string[]
}

/**
 * An OpenID Connect provider, used through the authorization code flow with PKCE, state and nonce.
 * Each token's signature is checked with the provider's keys, and its issuer, audience and times
 * are checked too.
 */
export function createOpenIdProvider(client: OpenIdClient, clock: Clock): IdentityProvider {
  const { issuer, scopes, wanted } = client
  let known: { readonly configuration: Promise<Configuration>; readonly until: number } | null = null

  /** The provider's metadata. Failures are not cached. */
  function configured(): Promise<Configuration> {
    const now = clock.now().getTime()
    if (known !== null && known.until > now) return known.configuration
    const configuration = discover(client)
    known = { configuration, until: now + limits.hub.metadataMs }
    configuration.catch(() => {
      known = null
    })
    return configuration
  }

  return {
    issuer,
    async begin(redirectUri) {
      const begun = { redirectUri, state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
      const configuration = await explained(issuer, configured())
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
      })
      if (!/^https?:$/.test(url.protocol)) throw untrusted(issuer, 'its page for signing in has no web address')
      return { begun, url: url.href }
    },
    async finish({ redirectUri, state, nonce, verifier }, query) {
      const configuration = await explained(issuer, configured())
      const address = new URL(redirectUri)
      address.search = query
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      const tokens = await explained(issuer, authorizationCodeGrant(configuration, address, checks))
      const signed = tokens.claims()
      if (signed === undefined) throw untrusted(issuer, 'its answer has no identity')
      const isWhole = wanted.every((claim) => signed[claim] !== undefined)
      const { userinfo_endpoint } = configuration.serverMetadata()
      if (isWhole || userinfo_endpoint === undefined) return { subject: signed.sub, claims: signed }
      const more = await explained(issuer, fetchUserInfo(configuration, tokens.access_token, signed.sub))
      return { subject: signed.sub, claims: together(signed, more) }
    },
  }
}

type Claims = Readonly<Record<string, unknown>>

/** Signed claims win. `email_verified` applies only to the email that it came with. */
function together(signed: Claims, more: Claims): Claims {
  const about = signed.email === undefined ? more : signed
  const isVerified = about.email_verified ?? (more.email === about.email ? more.email_verified : undefined)
  return { ...more, ...signed, email_verified: isVerified }
}

async function discover({ issuer, clientId, clientSecret }: OpenIdClient): Promise<Configuration> {
  const url = new URL(issuer)
  const metadata = { [clockTolerance]: limits.hub.skewSec }
  const execute = [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])]
  const options = { execute, timeout: limits.hub.providerMs / 1_000 }
  if (clientSecret === null) return discovery(url, clientId, metadata, None(), options)
  const found = await discovery(url, clientId, metadata, ClientSecretBasic(clientSecret), options)
  const methods = found.serverMetadata().token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  if (methods.includes('client_secret_basic') || !methods.includes('client_secret_post')) return found
  return discovery(url, clientId, metadata, ClientSecretPost(clientSecret), options)
}

/**
 * Codes that mean that the provider was not reached, or that another server answered; all others
 * concern its answer.
 */
const unreached = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR'])

async function explained<Answer>(issuer: string, asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (cause) {
    if (cause instanceof AuthorizationResponseError) throw refused(cause.error, cause)
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (code === '' || unreached.has(code)) {
      throw new DrydockError('identity_unreachable', `The provider ${issuer} does not answer as it must.`, {
        todo: 'Try again in a while, or sign in with a personal token. An admin finds the cause in the lines of the hub.',
        cause,
      })
    }
    throw untrusted(issuer, code, cause)
  }
}

/** The error code came with the URL, so anybody may have written it. */
function refused(word: string, cause: Error): DrydockError {
  const said = /^[a-z_]{1,40}$/.test(word) ? word : 'an error'
  return new DrydockError('sign_in_failed', `The provider did not sign you in: ${said}`, {
    todo: 'Sign in again, or ask who keeps the accounts of your team.',
    cause,
  })
}

function untrusted(issuer: string, why: string, cause?: unknown): DrydockError {
  return new DrydockError('sign_in_failed', `The answer of ${issuer} cannot be trusted: ${why}`, {
    todo: 'Sign in again. If it stays, tell an admin of the hub.',
    cause,
  })
}
