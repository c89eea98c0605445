import type { Json } from '../../../domain/json.ts'

/** Undefined for what is no JSON. */
export function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
