import type { Json } from '../json.ts'

/** What a server says of a tool. All of it is pinned. */
export interface McpDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: Json
  readonly annotations: Json
}

/** Levels of a definition; more is no definition of a tool. */
const deepest = 100

/**
 * The definitions as one text, the same in whatever order a server gives them. Throws when one of
 * them is too deep to be read.
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
  // Pairs, since an object would put names that are numbers first, and lose `__proto__`.
  return { object: keys.map((key) => [key, sorted((value as Record<string, unknown>)[key], depth + 1)]) }
}
