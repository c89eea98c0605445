import { createHash, randomBytes } from 'node:crypto'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { parseDuration } from '../../../domain/duration.ts'
import { isPersonName } from '../../../domain/hub/person.ts'
import { isAllowed, isRole, isTokenName, type Role, roles } from '../../../domain/hub/role.ts'
import { limits } from '../../../domain/limits.ts'
import type { StateAccess } from '../../state-access.ts'
import { usage } from '../../usage.ts'

export type HubRows = Awaited<ReturnType<StateAccess['openHubRows']>>

export type HubToken = NonNullable<Awaited<ReturnType<HubRows['hubToken']>>>

/** The prefix of every token, by which people and secret scanners recognise it. */
const prefix = 'drydock_hub_'

/** True for a text that has exactly the form of a token. */
export function isTokenShaped(text: string): boolean {
  return /^drydock_hub_[A-Za-z0-9_-]{43}$/.test(text)
}

/** True if a text, such as an address, contains a token. */
export function holdsToken(text: string): boolean {
  return /drydock_hub_[A-Za-z0-9_-]{20}/.test(text)
}

/**
 * Hashes a token for storage. One round of SHA-256 is enough, since a token has 256 random bits.
 */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

export interface NewToken {
  readonly name: string
  readonly role: string
  /** A duration such as `90d`; absent for a token that is valid until it is revoked. */
  readonly expires?: string | undefined
}

/** A token as it is shown to people. */
export interface ShownToken {
  readonly name: string
  readonly role: Role
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly expired: boolean
  /** True for a person who signed in at an OpenID provider, and so has no token. */
  readonly person: boolean
}

/**
 * Makes a token. It is stored as a hash, so nobody can read it again. Throws DrydockError
 * `bad_usage`, `already_done`.
 */
export async function addHubToken(
  rows: Pick<HubRows, 'insertHubToken'>,
  { name, role, expires }: NewToken,
  now: Date,
): Promise<{ readonly token: string; readonly expires_at: string | null }> {
  if (!isTokenName(name)) {
    throw usage(
      `${JSON.stringify(name.slice(0, 80))} is not a name for a token.`,
      'A name has up to 40 characters: lower-case letters, digits, and . _ - between them.',
    )
  }
  if (!isRole(role)) throw usage(`There is no role ${JSON.stringify(role.slice(0, 80))}.`, `Roles: ${roles.join(', ')}`)
  const expires_at = expires === undefined ? null : expiryOf(expires, now)
  const token = `${prefix}${randomBytes(32).toString('base64url')}`
  if (!(await rows.insertHubToken({ name, role, hash: hashOf(token), expiresAt: expires_at }))) {
    throw new DrydockError('already_done', `There is a token named ${name} already.`, {
      todo: `Revoke it first: drydock hub token revoke ${name}`,
    })
  }
  return { token, expires_at }
}

function expiryOf(text: string, now: Date): string {
  const seconds = parseDuration(text)
  if (seconds === null || seconds === 0 || seconds > limits.hub.tokenDays * 86_400)
    throw usage(`${JSON.stringify(text.slice(0, 80))} is not a time to expire in.`, 'Name one like 12h, 90d or 365d.')
  return new Date(now.getTime() + seconds * 1_000).toISOString()
}

/** Revokes a token, or removes a person with all sessions. Throws DrydockError `not_found`. */
export async function revokeHubToken(rows: Pick<HubRows, 'deleteHubToken'>, name: string): Promise<void> {
  if ((isTokenName(name) || isPersonName(name)) && (await rows.deleteHubToken(name))) return
  throw new DrydockError('not_found', `There is no token named ${JSON.stringify(name.slice(0, 80))}.`, {
    todo: 'See all: drydock hub token list',
  })
}

export function isExpired({ expiresAt }: Pick<HubToken, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now.toISOString()
}

/** Names of the tokens and people that may act on work, sorted. */
export async function operatorsOf(rows: Pick<HubRows, 'hubTokens'>, now: Date): Promise<string[]> {
  const may = (await rows.hubTokens()).filter((token) => isAllowed(token.role, 'operator') && !isExpired(token, now))
  return may.map(({ name }) => name).sort()
}

export async function listHubTokens(rows: Pick<HubRows, 'hubTokens'>, now: Date): Promise<ShownToken[]> {
  return (await rows.hubTokens()).map((token) => ({
    name: token.name,
    role: token.role,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    last_used_at: token.lastUsedAt,
    expired: isExpired(token, now),
    person: token.subject !== null,
  }))
}
