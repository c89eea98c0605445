import { stripVTControlCharacters } from 'node:util'
import { capText } from '../../domain/text.ts'

interface Cleaning {
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string
  readonly mostChars: number
}

/** The same value with every text in it redacted, without control characters, and cut. */
export function clean<T>(value: T, cleaning: Cleaning): T {
  return cleaned(value, cleaning) as T
}

function cleaned(value: unknown, cleaning: Cleaning): unknown {
  if (typeof value === 'string') return capText(cleaning.redact(stripVTControlCharacters(value)), cleaning.mostChars)
  if (Array.isArray(value)) return value.map((each) => cleaned(each, cleaning))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleaned(each, cleaning)]))
}
