import type { z } from 'zod'
import { isObject } from '../../domain/json.ts'
import { parseLoosely } from '../../domain/reply/loose-json.ts'

type Issue = z.core.$ZodIssue
type ParsedInput = z.ZodSafeParseResult<unknown> & {
  /** Dropped keys that the tool does not know. */
  readonly unknown: readonly string[]
}

/** Most repairs of one input, since fixing one problem may reveal another. */
const rounds = 4

/**
 * Parses the input of a call, and repairs input whose meaning is clear: drops keys that the tool
 * does not know or that are null, unquotes numbers and booleans, parses lists and objects that are
 * written as text, and wraps a single text where a list is wanted. The issues are those that
 * remain.
 */
export function readInput(schema: z.ZodType, given: unknown): ParsedInput {
  let input = given
  let read = schema.safeParse(input)
  const unknown: string[] = []
  for (let round = 0; round < rounds && !read.success; round += 1) {
    const mended = structuredClone(input)
    for (const { path, ...issue } of read.error.issues)
      if (issue.code === 'unrecognized_keys') unknown.push(...issue.keys.map((key) => [...path, key].join('.')))
    const count = read.error.issues.filter((issue) => mend(mended, issue)).length
    if (count === 0) return { ...read, unknown }
    input = mended
    read = schema.safeParse(input)
  }
  return { ...read, unknown }
}

/** Returns true if the input was changed. */
function mend(input: unknown, issue: Issue): boolean {
  if (issue.code === 'unrecognized_keys') {
    const holder = at(input, issue.path)
    if (!hasKeys(holder)) return false
    for (const key of issue.keys) delete holder[key]
    return true
  }
  if (issue.code !== 'invalid_type' || issue.path.length === 0) return false
  const holder = at(input, issue.path.slice(0, -1))
  const key = String(issue.path.at(-1))
  if (!hasKeys(holder) || !Object.hasOwn(holder, key)) return false
  // A null is removed; if the key is required, the next issue says so.
  if (holder[key] === null) return delete holder[key]
  const meant = meantBy(holder[key], issue.expected)
  if (meant === undefined) return false
  holder[key] = meant
  return true
}

function meantBy(value: unknown, expected: string): unknown {
  if (typeof value !== 'string') return undefined
  if (expected === 'array' || expected === 'record' || expected === 'object') return listOrObject(value, expected)
  if (expected === 'number' || expected === 'int')
    return /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
  if (expected === 'boolean') return { true: true, false: false }[value.trim().toLowerCase()]
  return undefined
}

/** A list or an object may be written as JSON text. */
function listOrObject(value: string, expected: string): unknown {
  const parsed = parseLoosely(value)
  if (expected !== 'array') return isObject(parsed) ? parsed : undefined
  if (Array.isArray(parsed)) return parsed
  return value === '' ? [] : [value]
}

function at(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (hasKeys(value) ? value[String(key)] : undefined), input)
}

/** True for an object, or an array, whose keys are numbers. */
function hasKeys(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
