import type { Redact } from './redact.ts'

/**
 * A plain value with the secrets taken out of each of its texts. What is made from it, as Markdown
 * or a command, keeps its form: over a finished text a secret could begin in one part and end in
 * another.
 */
export function redactStrings<T>(value: T, redact: Redact): T {
  if (typeof value === 'string') return redact(value) as T
  if (Array.isArray(value)) return value.map((each) => redactStrings(each, redact)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactStrings(each, redact)])) as T
}
