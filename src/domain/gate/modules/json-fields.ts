import { isObject, parsedJson } from '../../json.ts'
/** The fields of a JSON object; none for any other text. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(text.replace(/^\uFEFF/, ''))
  return isObject(value) ? value : {}
}

/** All strings in a JSON value, at any depth. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  return isObject(value) ? Object.values(value).flatMap(stringsIn) : []
}
