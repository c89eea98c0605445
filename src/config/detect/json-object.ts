import { isObject, parsedJson } from '../../domain/json.ts'
export type JsonObject = Readonly<Record<string, unknown>>

/** Null for a text that is not a JSON object. */
export function parseObject(text: string | undefined): JsonObject | null {
  return text === undefined ? null : asObject(parsedJson(text.replace(/^\uFEFF/, '')))
}

/** Empty if there is no object of that name. */
export function objectAt(parent: JsonObject, key: string): JsonObject {
  return asObject(parent[key]) ?? {}
}

export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null
}
