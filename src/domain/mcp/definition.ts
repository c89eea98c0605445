import type { Json } from '../json.ts'

/** A server's description of a tool. All of it is pinned. */
export interface McpDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: Json
  readonly annotations: Json
}

/** The deepest nesting of a definition; anything deeper is rejected. */
const deepest = 100

/**
 * The definitions as one text that does not depend on their order. Throws when one of them is
 * nested too deeply.
 */
export function canonicalText(definitions: readonly McpDefinition[]): string {
  const byName = definitions.toSorted(({ name }, other) => (name < other.name ? -1 : name > other.name ? 1 : 0))
  return JSON.stringify(sorted(byName))
}

function sorted(value: unknown, depth = 0): unknown {
  if (depth > deepest) throw new Error('a definition of a tool is too deep')
  if (Array.isArray(value)) return value.map((each) => sorted(each, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value).toSorted()
  // Pairs, since an object would put numeric keys first, and lose `__proto__`.
  return { object: keys.map((key) => [key, sorted((value as Record<string, unknown>)[key], depth + 1)]) }
}
