import type { Context } from 'hono'
import type { FreshToken, OpenedSession, ProviderAnswer, StartedSignIn } from '../../api/session.ts'
import type { Right, Role } from '../../domain/hub/role.ts'

/** The sender of a request, as far as the request's secrets prove it. */
export interface Asker {
  /** The name of the token; null for the user of this machine. */
  readonly name: string | null
  readonly role: Role
  /** True if the request carries a fresh token of the session, or does not come from a browser. */
  isFresh(token: string): boolean
  /** Returns a fresh token; null for a key of another session. */
  freshToken(key: string): FreshToken | null
  /** True while the sender still has access; for checks during long responses. */
  isOpen(): Promise<boolean>
  /**
   * Returns a signal that is aborted when this server ends the session. Another process may end the
   * session as well.
   */
  ending(): AbortSignal
  /** Signs out. */
  end(c: Context): Promise<void>
}

/** The access control of a server: its own host names, and the people it admits. */
export interface Access {
  /** The origin of the server's own pages under a host name; null for a foreign name. */
  originAt(host: string): string | null
  /**
   * True if the request cannot come from a web page: it carries a secret that browsers never add.
   */
  isProgram(c: Context): boolean
  /** The sender of a request; null without valid access. */
  askerOf(c: Context): Promise<Asker | null>
  /** The owner of a token, wherever the request contained it; null for an invalid token. */
  programOf(c: Context, token: string): Promise<Asker | null>
  /** Opens a session; null for an invalid token. */
  signIn(c: Context, token: string): Promise<OpenedSession | null>
  /** The sign-in with an OpenID provider; null if none is configured. */
  readonly provider: ProviderAccess | null
  /** Milliseconds between the checks that an open stream's session is still valid. */
  readonly lookMs: number
  readonly streams: { readonly all: number; readonly each: number }
  /** The advice for people without access. */
  readonly todo: string
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>
  /** Records a refused request. */
  refused(c: Context, refused: Refusal): void
}

/** The sign-in with an OpenID provider. */
export interface ProviderAccess {
  /** The provider's host, for people. */
  readonly label: string
  /** Begins a sign-in. Throws DrydockError `identity_unreachable`, `sign_in_failed`. */
  start(c: Context): Promise<StartedSignIn>
  /**
   * Completes a sign-in. Throws DrydockError `not_allowed`, `too_many_failures`, and the errors of
   * `start`.
   */
  finish(c: Context, answer: ProviderAnswer): Promise<OpenedSession>
}

export interface Refusal {
  readonly code: string
  /** Null for a request without access, and for the user of this machine. */
  readonly name: string | null
  /** The name of the route and the right it needs; null if no route was found. */
  readonly route: string | null
  readonly needs: Right | null
}

declare module 'hono' {
  interface ContextVariableMap {
    /** The sender that the guard admitted; null for a route that needs none. */
    asker: Asker | null
  }
}
