import type { Json } from '../json.ts'

/** What a server says of a tool. All of it is pinned. */
export interface McpDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: Json
  readonly annotations: Json
}

/** The definitions as one text, the same in whatever order a server gives them. */
export function canonicalText(definitions: readonly McpDefinition[]): string {
  return JSON.stringify(sorted(definitions.toSorted((one, other) => (one.name < other.name ? -1 : 1))))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value).toSorted()
  // Pairs, since an object would put names that are numbers first, and lose `__proto__`.
  return { object: keys.map((key) => [key, sorted((value as Record<string, unknown>)[key])]) }
}
