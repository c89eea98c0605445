export type JsonObject = Readonly<Record<string, unknown>>

/** null for a text that is no JSON object: what it should have named, it does not. */
export function parseObject(text: string | undefined): JsonObject | null {
  if (text === undefined) return null
  try {
    return asObject(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch {
    return null
  }
}

/** Empty when there is no object of that name. */
export function objectAt(parent: JsonObject, key: string): JsonObject {
  return asObject(parent[key]) ?? {}
}

export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}
