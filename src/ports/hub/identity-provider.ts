import type { PersonRules } from '../../domain/hub/person.ts'

/** A sign-in that somebody has begun. It is kept from everybody but who has begun it. */
export interface BegunSignIn {
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Who has signed in, as the provider has signed it for this hub alone. */
export interface Identity {
  /** Names the person at the provider, for good; at most 255 characters. */
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** A provider of OpenID Connect that a hub asks who somebody is. */
export interface IdentityProvider {
  /** Its URL, as it is configured. */
  readonly issuer: string
  /**
   * Begins a sign-in, and tells where the browser goes. DrydockError `identity_unreachable`,
   * `sign_in_failed`.
   */
  begin(redirectUri: string): Promise<{ readonly begun: BegunSignIn; readonly url: string }>
  /**
   * Ends a sign-in with what the browser brought back: the query of an address. DrydockError
   * `identity_unreachable`, `sign_in_failed`.
   */
  finish(begun: BegunSignIn, query: string): Promise<Identity>
}

/** How people of a provider come into a hub. */
export interface PeopleDoor {
  readonly provider: IdentityProvider
  readonly rules: PersonRules
  /** How long they stay, at most. */
  readonly sessionMs: number
}
