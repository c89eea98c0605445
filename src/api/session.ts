import { z } from 'zod'
import { actorSchema } from './hub.ts'

/**
 * The header with the fresh token from `POST /api/session/token`, for requests that change
 * something.
 */
export const tokenHeader = 'Drydock-Token'

/** POST /session: the token of a printed link (`#token=…`), which can be exchanged once. */
export const openSessionSchema = z.strictObject({ token: z.string().min(1).max(500) })

/**
 * The session is sent with every request (`Authorization: Bearer <session>`); the key only in the
 * body of `POST /api/session/token`.
 */
export const openedSessionSchema = z.object({
  session: z.string(),
  key: z.string(),
  expires_at: z.iso.datetime(),
  /** The signed-in person on a hub, where a cookie is the other half of the session. */
  actor: actorSchema.optional(),
})

/** POST /session/provider: begins a sign-in with the OpenID provider of a hub. */
export const startedSignInSchema = z.object({
  /** The next URL for the browser. */
  url: z.string(),
  /** One half of the flow, kept in the page; a cookie is the other half. */
  flow: z.string(),
})

/** POST /session/provider/answer: the parameters that the provider sent back with the browser. */
export const providerAnswerSchema = z.strictObject({
  flow: z.string().min(1).max(100),
  /** The query of the URL, without the question mark. */
  answer: z.string().max(7_000),
})

/** POST /api/session/token: exchanges the key for a fresh token. */
export const keySchema = z.strictObject({ key: z.string().min(1).max(500) })

export const freshTokenSchema = z.object({ token: z.string(), expires_at: z.iso.datetime() })

export type StartedSignIn = z.infer<typeof startedSignInSchema>
export type ProviderAnswer = z.infer<typeof providerAnswerSchema>
export type OpenSession = z.infer<typeof openSessionSchema>
export type OpenedSession = z.infer<typeof openedSessionSchema>
export type SessionKey = z.infer<typeof keySchema>
export type TokenHeader = typeof tokenHeader
export type FreshToken = z.infer<typeof freshTokenSchema>
