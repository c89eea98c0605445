import type { PersonRules } from '../../domain/hub/person.ts'

/** A sign-in that has begun. Only the person who began it may see it. */
export interface BegunSignIn {
  /** The URL to which the provider returns the browser. */
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The signed-in person, as the provider has signed it for this hub alone. */
export interface Identity {
  /** Permanent id of the person at the provider; at most 255 characters. */
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** An OpenID Connect provider that authenticates people for a hub. */
export interface IdentityProvider {
  /** The provider's configured URL. */
  readonly issuer: string
  /**
   * Begins a sign-in, and returns the URL for the browser. Throws DrydockError
   * `identity_unreachable`, `sign_in_failed`.
   */
  begin(redirectUri: string): Promise<{ readonly begun: BegunSignIn; readonly url: string }>
  /**
   * Completes a sign-in with the query that the browser brought back. Throws DrydockError
   * `identity_unreachable`, `sign_in_failed`.
   */
  finish(begun: BegunSignIn, query: string): Promise<Identity>
}

/** The sign-in of a provider's people to a hub. */
export interface PeopleDoor {
  readonly provider: IdentityProvider
  readonly rules: PersonRules
  /** Longest session. */
  readonly sessionMs: number
}
