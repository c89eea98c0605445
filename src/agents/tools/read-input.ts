import type { z } from 'zod'

type Issue = z.core.$ZodIssue
type Read = z.ZodSafeParseResult<unknown>

/** How often what was mended may show another thing to mend. */
const rounds = 4

/**
 * The input of a call as its tool takes it. What a model plainly means is mended: a key that the
 * tool does not know is dropped, a number or a yes in quotes is one, and one text where a list is
 * wanted is a list of it. The issues are those of what is left.
 */
export function readInput(schema: z.ZodType, given: unknown): Read {
  let input = given
  let read = schema.safeParse(input)
  for (let round = 0; round < rounds && !read.success; round += 1) {
    const mended = structuredClone(input)
    const count = read.error.issues.filter((issue) => mend(mended, issue)).length
    if (count === 0) return read
    input = mended
    read = schema.safeParse(input)
  }
  return read
}

/** Whether something was changed in the input. */
function mend(input: unknown, issue: Issue): boolean {
  if (issue.code === 'unrecognized_keys') {
    const holder = at(input, issue.path)
    if (!isObject(holder)) return false
    for (const key of issue.keys) delete holder[key]
    return true
  }
  if (issue.code !== 'invalid_type' || issue.path.length === 0) return false
  const holder = at(input, issue.path.slice(0, -1))
  const key = String(issue.path.at(-1))
  if (!isObject(holder) || !Object.hasOwn(holder, key)) return false
  const meant = meantBy(holder[key], issue.expected)
  if (meant === undefined) return false
  holder[key] = meant
  return true
}

function meantBy(value: unknown, expected: string): unknown {
  if (typeof value !== 'string') return undefined
  if (expected === 'array') return value === '' ? [] : [value]
  if (expected === 'number' || expected === 'int')
    return /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
  if (expected === 'boolean') return { true: true, false: false }[value.trim().toLowerCase()]
  return undefined
}

function at(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[String(key)] : undefined), input)
}

/** An array is one, too. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
