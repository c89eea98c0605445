import type { Redact } from './redact.ts'

/**
 * Redacts each string in a plain value. Text that is made from the value, such as Markdown or a
 * command, keeps its form: in the finished text a secret could begin in one part and end in
 * another.
 */
export function redactStrings<T>(value: T, redact: Redact): T {
  if (typeof value === 'string') return redact(value) as T
  if (Array.isArray(value)) return value.map((each) => redactStrings(each, redact)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactStrings(each, redact)])) as T
}
