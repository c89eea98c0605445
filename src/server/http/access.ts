import type { Context } from 'hono'
import type { FreshToken, OpenedSession, ProviderAnswer, StartedSignIn } from '../../api/session.ts'
import type { Right, Role } from '../../domain/hub/role.ts'

/** Who asks, as far as what came with the request proves it. */
export interface Asker {
  /** Of the token that was signed in with; null for the user of this machine. */
  readonly name: string | null
  readonly role: Role
  /** Whether this acts for it now: a fresh token of its session, or no browser asks. */
  isFresh(token: string): boolean
  /** Null for a key that is not its own. */
  freshToken(key: string): FreshToken | null
  /** Whether it still may ask; for what goes on for long. */
  isOpen(): Promise<boolean>
  /** Aborted when this server ends its session; another process may end it, too. */
  ending(): AbortSignal
  /** Signs out. */
  end(c: Context): Promise<void>
}

/** A door of the server: under which names it is reached, and who may come in. */
export interface Access {
  /** The origin of its own pages under a name it was reached by; null for a name of another. */
  originAt(host: string): string | null
  /** Whether no page of a browser can have sent it: it brings a secret that browsers never add. */
  isProgram(c: Context): boolean
  /** Null for nobody. */
  askerOf(c: Context): Promise<Asker | null>
  /** Whose a token is, wherever it was in the request; null for nobody's. */
  programOf(c: Context, token: string): Promise<Asker | null>
  /** Null for a token that lets nobody in. */
  signIn(c: Context, token: string): Promise<OpenedSession | null>
  /** Who else lets people in; null for nobody. */
  readonly provider: ProviderAccess | null
  /** How often an open stream looks whether its session still is. */
  readonly lookMs: number
  readonly streams: { readonly all: number; readonly each: number }
  /** What a person is told who is not let in. */
  readonly todo: string
  /** Sent with every answer. */
  readonly headers: Readonly<Record<string, string>>
  /** Told of what was refused to whom. */
  refused(c: Context, refused: Refusal): void
}

/** An OpenID provider in front of a door. */
export interface ProviderAccess {
  /** Its host, for people. */
  readonly label: string
  /** Throws DrydockError `identity_unreachable`, `sign_in_failed`. */
  start(c: Context): Promise<StartedSignIn>
  /** Throws DrydockError `not_allowed`, `too_many_failures`, and those of `start`. */
  finish(c: Context, answer: ProviderAnswer): Promise<OpenedSession>
}

export interface Refusal {
  readonly code: string
  /** Null for nobody, and for the user of this machine. */
  readonly name: string | null
  /** Of the route, with what it needs; null before a route was found. */
  readonly route: string | null
  readonly needs: Right | null
}

declare module 'hono' {
  interface ContextVariableMap {
    /** Whom the guard has let in; null where nobody needs to be. */
    asker: Asker | null
  }
}
