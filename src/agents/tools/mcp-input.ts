import { z } from 'zod'
import type { JsonObject } from '../../domain/json.ts'
import { readInput } from './read-input.ts'

export type McpInput =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly problems: string }

/** Parses the input of a call by the schema of its tool. */
export function readMcpInput(schema: JsonObject, given: unknown): McpInput {
  const read = readInput(zodOf(schema), given)
  if (read.success) return { ok: true, input: read.data }
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
  return { ok: false, problems: problems.slice(0, 20).join('\n') }
}

/** The reason why no input can be checked against a schema; null if it can. */
export function mcpSchemaProblem(schema: JsonObject): string | null {
  try {
    zodOf(schema)
    return null
  } catch {
    return 'its schema cannot be checked'
  }
}

function zodOf(schema: JsonObject): z.ZodType {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
}
