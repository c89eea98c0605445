import { parse } from 'smol-toml'
import { asObject, type JsonObject } from './json-object.ts'

/** Empty for a text that is no TOML: what it should have named, it does not. */
export function parseToml(text: string | undefined): JsonObject {
  try {
    return asObject(parse(text ?? '')) ?? {}
  } catch {
    return {}
  }
}
