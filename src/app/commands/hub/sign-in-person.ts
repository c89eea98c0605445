import { createHash } from 'node:crypto'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { personOf } from '../../../domain/hub/person.ts'
import type { Installation } from '../../installation.ts'
import type { HubRows, HubToken } from './hub-tokens.ts'

export type PeopleDoor = NonNullable<Awaited<ReturnType<Installation['openPeopleDoor']>>>

type Provider = PeopleDoor['provider']

export type BegunSignIn = Parameters<Provider['finish']>[0]

type Identity = Awaited<ReturnType<Provider['finish']>>

/**
 * True for a person of the given provider: the subject in the hub's rows begins with the provider's
 * issuer.
 */
export function isOf({ subject }: Pick<HubToken, 'subject'>, { provider }: Pick<PeopleDoor, 'provider'>): boolean {
  return subject?.startsWith(`${provider.issuer} `) ?? false
}

/**
 * Stores a person whom the provider has named, so that sessions are possible until `expiresAt`. A
 * person without a role loses all sessions. Throws DrydockError `not_allowed`.
 */
export async function signInPerson(
  rows: Pick<HubRows, 'putHubPerson' | 'deleteHubPerson'>,
  { provider, rules }: PeopleDoor,
  { subject, claims, expiresAt }: Identity & { readonly expiresAt: string },
): Promise<Pick<HubToken, 'id' | 'name' | 'role'>> {
  const digest = createHash('sha256').update(subject).digest('hex').slice(0, 24)
  const { name, role } = personOf({ subject, digest }, claims, rules)
  const known = `${provider.issuer} ${subject}`
  if (role === null) {
    await rows.deleteHubPerson(known)
    throw new DrydockError('not_allowed', `The provider knows you as ${name}, who has no role on this hub.`, {
      todo: 'Ask an admin of the hub. The roles are in hub.oidc of its configuration.',
    })
  }
  const id = await rows.putHubPerson({ name, role, subject: known, expiresAt })
  if (id !== null) return { id, name, role }
  throw new DrydockError('not_allowed', `Another account of the provider is signed in as ${name}.`, {
    todo: `If that account is gone, an admin ends its sessions: drydock hub token revoke ${name}`,
  })
}
