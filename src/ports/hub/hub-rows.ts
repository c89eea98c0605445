import type { Role } from '../../domain/hub/role.ts'

/** A personal token, without the token itself: only its hash is stored. Times are ISO 8601. */
export interface HubToken {
  /** A token that is added under the name of a revoked one has another id. */
  readonly id: number
  readonly name: string
  readonly role: Role
  readonly hash: string
  /** Null for a personal token. Else this is a person of an OpenID provider, and has no token. */
  readonly subject: string | null
  readonly createdAt: string
  /** Null for one that ends only when it is revoked. */
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

export type NewHubToken = Pick<HubToken, 'name' | 'role' | 'hash' | 'expiresAt'>

/** Somebody who has signed in with a provider. `subject` names them there, with the provider. */
export interface HubPerson extends Pick<HubToken, 'name' | 'role'> {
  readonly subject: string
  /** Of the session that begins. */
  readonly expiresAt: string
}

/**
 * A browser that has signed in with a token. The hash of its cookie names it; the other half of its
 * secret is kept by the page.
 */
export interface HubSession {
  readonly hash: string
  readonly pageHash: string
  /** Id of the token. */
  readonly token: number
  readonly expiresAt: string
}

export interface HubRecords {
  /** In the order in which they were added. */
  hubTokens(): Promise<readonly HubToken[]>
  /** The token with a hash. */
  hubToken(hash: string): Promise<HubToken | null>
  /** A session with its token; null also once that is revoked. */
  hubSession(hash: string): Promise<(HubSession & { readonly of: HubToken }) | null>
}

export interface HubWrites {
  /** Whether the name was free. */
  insertHubToken(token: NewHubToken): Promise<boolean>
  /** Removes a token and its sessions. Returns whether there was one. */
  deleteHubToken(name: string): Promise<boolean>
  /**
   * Keeps a person as the provider now says, beside the tokens, until the last session is over.
   * Returns the id for the session; null while another one of that name is signed in. A new role
   * or name also holds for sessions that are open.
   */
  putHubPerson(person: HubPerson): Promise<number | null>
  /** Ends the sessions of a person who is nobody any more. */
  deleteHubPerson(subject: string): Promise<void>
  markHubTokenUsed(id: number): Promise<void>
  /** Also removes sessions that are over. */
  insertHubSession(session: HubSession): Promise<void>
  deleteHubSession(hash: string): Promise<void>
}

export interface HubOpening {
  /** For a hub that is about to serve. DrydockError `worker_version` of its workers. */
  readonly isHub?: boolean
}

/** The tokens, people and sessions of a state, beside its owner. Close it after use. */
export interface HubRows extends HubRecords, HubWrites {
  close(): Promise<void>
}
