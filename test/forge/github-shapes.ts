import { readFileSync } from 'node:fs'
import { z } from 'zod'

interface Operation {
  readonly status: number
  readonly answer: object
  readonly request?: object
  readonly example: unknown
}

const file = new URL('github-openapi.json', import.meta.url)
const { operations, $defs } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly operations: Readonly<Record<string, Operation>>
  readonly $defs: object
}

const schemas = new Map<object, z.ZodType>()

function check(schema: object, value: unknown, what: string): void {
  const known = schemas.get(schema) ?? z.fromJSONSchema({ ...schema, $defs } as never)
  schemas.set(schema, known)
  const { error } = known.safeParse(value)
  if (error) throw new Error(`${what} is not as GitHub describes it: ${z.prettifyError(error)}`)
}

function operationOf(name: string): Operation {
  const found = operations[name]
  if (found === undefined) throw new Error(`GitHub's description has no ${name} here`)
  return found
}

/** Throws if GitHub's published description does not allow the request. */
export function checkRequest(name: string, body: unknown): void {
  const { request } = operationOf(name)
  if (request !== undefined) check(request, body, `the request ${name}`)
}

/** The answer with its status, if GitHub's published description allows it; throws otherwise. */
export function answerOf(name: string, body: unknown): { readonly status: number; readonly body: unknown } {
  const { status, answer } = operationOf(name)
  check(answer, body, `the answer to ${name}`)
  return { status, body }
}

/** A copy of the published example of an answer. */
export function exampleOf(name: string): Record<string, unknown> {
  const { example } = operationOf(name)
  const one = Array.isArray(example) ? example[0] : example
  return structuredClone(one as Record<string, unknown>)
}
