import { parse } from 'smol-toml'
import { asObject, type JsonObject } from './json-object.ts'

/** Empty for a text that is not TOML. */
export function parseToml(text: string | undefined): JsonObject {
  try {
    return asObject(parse(text ?? '')) ?? {}
  } catch {
    return {}
  }
}
