import type { Role } from '../../domain/hub/role.ts'

/** A personal token, without the token itself: only its hash is stored. Times are ISO 8601. */
export interface HubToken {
  /** A token with the name of a revoked one has a new id. */
  readonly id: number
  readonly name: string
  readonly role: Role
  readonly hash: string
  /**
   * Null for a personal token. Otherwise the row is a person of an OpenID provider, without a
   * token.
   */
  readonly subject: string | null
  readonly createdAt: string
  /** Null for a token that ends only when it is revoked. */
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

export type NewHubToken = Pick<HubToken, 'name' | 'role' | 'hash' | 'expiresAt'>

/**
 * A person who has signed in with a provider. `subject` identifies the person there, with the
 * provider.
 */
export interface HubPerson extends Pick<HubToken, 'name' | 'role'> {
  readonly subject: string
  /** End of the new session. */
  readonly expiresAt: string
}

/**
 * A browser that has signed in with a token. The hash of its cookie identifies the session; the
 * page keeps the other half of its secret.
 */
export interface HubSession {
  readonly hash: string
  readonly pageHash: string
  /** Id of the token. */
  readonly token: number
  readonly expiresAt: string
}

export interface HubRecords {
  /** Lists tokens in the order in which they were added. */
  hubTokens(): Promise<readonly HubToken[]>
  /** The token with a hash. */
  hubToken(hash: string): Promise<HubToken | null>
  /** A session with its token; null also after the token is revoked. */
  hubSession(hash: string): Promise<(HubSession & { readonly of: HubToken }) | null>
}

export interface HubWrites {
  /** Returns true if the name was free. */
  insertHubToken(token: NewHubToken): Promise<boolean>
  /** Removes a token and its sessions. Returns true if there was one. */
  deleteHubToken(name: string): Promise<boolean>
  /**
   * Stores a person as the provider now describes them, beside the tokens, until the last session
   * ends. Returns the id for the session; null while another person of that name is signed in. A
   * new role or name also applies to open sessions.
   */
  putHubPerson(person: HubPerson): Promise<number | null>
  /** Ends the sessions of a person who has lost access. */
  deleteHubPerson(subject: string): Promise<void>
  markHubTokenUsed(id: number): Promise<void>
  /** Stores a session, and removes expired ones. */
  insertHubSession(session: HubSession): Promise<void>
  deleteHubSession(hash: string): Promise<void>
}

export interface HubOpening {
  /**
   * True for a hub that is about to serve. Throws DrydockError `worker_version` for its workers.
   */
  readonly isHub?: boolean
}

/** The tokens, people and sessions of a state, alongside its owner. Close it after use. */
export interface HubRows extends HubRecords, HubWrites {
  close(): Promise<void>
}
