import type { z } from 'zod'
import type { Right } from '../domain/hub/role.ts'

/** One route; parts of `path` that start with a colon are named parameters. */
export interface Route {
  readonly method: 'get' | 'post'
  readonly path: string
  /** A short description of its effect. */
  readonly what: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /**
   * The body of a response with `status` (default 200); null for a body that is not JSON. Every
   * other response is an `ApiError`.
   */
  readonly answer: z.ZodType | null
  readonly status?: 200 | 202 | 204
  /**
   * The right that it needs on a hub. `anyone` needs no session, even on a dashboard of one user;
   * that user may use every other route.
   */
  readonly role: Right | 'anyone'
  /** With `session` a POST needs no fresh token in addition to the session. */
  readonly needs?: 'session'
}

/** The names of the parameters in a path. */
type PartOf<Path extends string> = Path extends `${string}:${infer Tail}`
  ? Tail extends `${infer Part}/${infer Rest}`
    ? Part | PartOf<Rest>
    : Tail
  : never

/** A deeply readonly type, since code must not change an input. */
export type DeepReadonly<Value> = Value extends Date
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value

/** The fields of a schema; an empty object for a missing schema. */
type Fields<Schema> = Schema extends z.ZodType
  ? z.output<Schema> extends Record<string, never>
    ? unknown
    : DeepReadonly<z.output<Schema>>
  : unknown

/** The parameters, the query and the body of a request in one object. */
export type InputOf<Of extends Route> = Readonly<Record<PartOf<Of['path']>, string>> &
  Fields<Of['query']> &
  Fields<Of['body']>

/** Undefined for a response without content. */
export type OutputOf<Of extends Route> = Of['answer'] extends z.ZodType ? z.input<Of['answer']> : undefined

/** A request as a program sends it: fields with a default are optional. */
export type RequestOf<Of extends Route> = Readonly<Record<PartOf<Of['path']>, string>> &
  (Of['body'] extends z.ZodType
    ? z.input<Of['body']> extends Record<string, never>
      ? unknown
      : DeepReadonly<z.input<Of['body']>>
    : unknown)
