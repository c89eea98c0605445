import { redactShapes } from './redact-shapes.ts'

/** The text in place of a secret. */
export const redacted = '[redacted by drydock]'

/** Bounds of the cache of results: the number of last texts, and the characters of one. */
const rememberedTexts = 8
const rememberedChars = { least: 256, most: 131_072 }

export type Redact = (text: string) => string

/**
 * Shorter values, and those without a digit, are more likely words than secrets: local servers
 * accept any key.
 */
const shortest = 16

/**
 * Replaces secrets by value, including their JSON and byte forms, and any text with the shape of a
 * secret (`secret-shapes.ts`). Redacting a redacted text changes nothing.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const values = secrets
    .filter((secret) => secret.length >= shortest && /\d/.test(secret))
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), bytesOf(secret)])
  const known = [...new Set(values)].sort((a, b) => b.length - a.length)
  const clean = (text: string) => {
    const valueless = known.reduce((rest, value) => rest.replaceAll(value, redacted), text)
    return redactShapes(valueless, redacted)
  }
  const answers = new Map<string, string>()
  return (text) => {
    // A result is redacted for two logs and a request, and the system prompt for each request of
    // its lane, so results are cached.
    if (text.length < rememberedChars.least || text.length > rememberedChars.most) return clean(text)
    const answer = answers.get(text) ?? clean(text)
    answers.delete(text)
    answers.set(text, answer)
    if (answers.size > rememberedTexts) answers.delete(answers.keys().next().value ?? '')
    return answer
  }
}

/** The bytes of the UTF-8 form, each as one character. */
function bytesOf(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
