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

/** The names behind the colons of a path. */
type PartOf<Path extends string> = Path extends `${string}:${infer Tail}`
  ? Tail extends `${infer Part}/${infer Rest}`
    ? Part | PartOf<Rest>
    : Tail
  : never

/** Nobody changes an input. */
export type DeepReadonly<Value> = Value extends Date
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value

/** An empty object adds nothing. */
type Fields<Schema> = Schema extends z.ZodType
  ? z.output<Schema> extends Record<string, never>
    ? unknown
    : DeepReadonly<z.output<Schema>>
  : unknown

/** The parts of its path, its query and its body, in one object. */
export type InputOf<Of extends Route> = Readonly<Record<PartOf<Of['path']>, string>> &
  Fields<Of['query']> &
  Fields<Of['body']>

/** Undefined where the answer has no content. */
export type OutputOf<Of extends Route> = Of['answer'] extends z.ZodType ? z.input<Of['answer']> : undefined

/** The input as a program sends it: fields that have a default may be left out. */
export type RequestOf<Of extends Route> = Readonly<Record<PartOf<Of['path']>, string>> &
  (Of['body'] extends z.ZodType
    ? z.input<Of['body']> extends Record<string, never>
      ? unknown
      : DeepReadonly<z.input<Of['body']>>
    : unknown)
