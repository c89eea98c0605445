import { isObject, type Json, type JsonObject } from '../../../domain/json.ts'

/** Reads fields of foreign JSON: each value has the expected type, or is empty. */
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

/** The largest of the caps in a request; null if it has no valid one. */
export function capIn(...values: readonly (Json | undefined)[]): number | null {
  const caps = values.filter((value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0)
  return caps.length === 0 ? null : Math.max(...(caps as number[]))
}

/** The number of answers that a request asks for. */
export function countIn(value: Json | undefined): number {
  return capIn(value) ?? 1
}

/** The total bytes of all texts in a value. */
export function bytesOfTexts(value: Json | undefined): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, each) => sum + bytesOfTexts(each as Json), 0)
}
