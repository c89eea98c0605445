import { redactShapes } from './redact-shapes.ts'

/** The text in place of a secret. */
export const redacted = '[redacted by drydock]'

/** Characters of a text whose answer is remembered until the next. */
const remembered = 131_072

export type Redact = (text: string) => string

/**
 * Shorter values, or such without a digit, are more likely words than secrets: local servers take
 * any key.
 */
const shortest = 16

/**
 * Replaces secrets by value, including their JSON and byte forms, and any text with the shape of a
 * secret (`secret-shapes.ts`). Redacting its own output changes nothing.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const values = secrets
    .filter((secret) => secret.length >= shortest && /\d/.test(secret))
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), bytesOf(secret)])
  const known = [...new Set(values)].sort((a, b) => b.length - a.length)
  let last = { text: '', clean: '' }
  return (text) => {
    // What a step prints goes into two logs.
    if (text === last.text) return last.clean
    const valueless = known.reduce((rest, value) => rest.replaceAll(value, redacted), text)
    const clean = redactShapes(valueless, redacted)
    if (text.length <= remembered) last = { text, clean }
    return clean
  }
}

/** The bytes of its UTF-8 form, each as one character. */
function bytesOf(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
