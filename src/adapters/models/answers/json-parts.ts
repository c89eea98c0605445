import { isObject, type Json, type JsonObject } from '../../../domain/json.ts'

/** The parts of another's JSON: each is what it should be, or nothing. */
export function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectIn) : []
}

export function textIn(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

export function numberIn(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** The largest of the caps that a request names; null where it names none that is one. */
export function capIn(...values: readonly (Json | undefined)[]): number | null {
  const caps = values.filter((value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0)
  return caps.length === 0 ? null : Math.max(...(caps as number[]))
}

/** How many answers a request asks for at once. */
export function countIn(value: Json | undefined): number {
  return capIn(value) ?? 1
}

/** Bytes of all texts in a value. */
export function bytesOfTexts(value: Json | undefined): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, each) => sum + bytesOfTexts(each as Json), 0)
}
