import type { z } from 'zod'
import type { Right } from '../domain/hub/role.ts'

/** One route; parts of `path` that start with a colon are named. */
export interface Route {
  readonly method: 'get' | 'post'
  readonly path: string
  /** What it does, in a few words. */
  readonly what: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /**
   * What is answered with `status` (200 without it); null for what is no JSON. Anything else is an
   * `ApiError`.
   */
  readonly answer: z.ZodType | null
  readonly status?: 200 | 202 | 204
  /**
   * Who may ask on a hub; `anyone` needs no session, also on a dashboard of one user, who may do
   * all the rest.
   */
  readonly role: Right | 'anyone'
  /** Without it, what acts (a POST) needs a fresh token beside the session. */
  readonly needs?: 'session'
}
