import { redactShapes } from './redact-shapes.ts'

/** What stands where a secret was. */
export const redacted = '[redacted by drydock]'

export type Redact = (text: string) => string

/** Shorter values, or such without a digit, are more likely words than secrets: local servers take any key. */
const shortest = 16

/** Replaces secrets by their value, also as JSON and as bytes write them, and whatever has the shape of one (`secret-shapes.ts`). What it gives it leaves as it is. */
export function createRedactor(secrets: readonly string[]): Redact {
  const values = secrets
    .filter((secret) => secret.length >= shortest && /\d/.test(secret))
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), bytesOf(secret)])
  const known = [...new Set(values)].sort((a, b) => b.length - a.length)
  return (text) =>
    redactShapes(
      known.reduce((clean, value) => clean.replaceAll(value, redacted), text),
      redacted,
    )
}

/** The bytes of its UTF-8 form, each as one character. */
function bytesOf(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
