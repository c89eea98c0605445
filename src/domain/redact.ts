/** What stands where a secret was. */
export const redacted = '[redacted by drydock]'

/** Shorter values, or such without a digit, are more likely words than secrets: local servers take any key. */
const shortest = 16

/** Replaces secrets by their value, also as JSON writes them. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const values = secrets
    .filter((secret) => secret.length >= shortest && /\d/.test(secret))
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .sort((a, b) => b.length - a.length)
  return (text) => values.reduce((clean, value) => clean.replaceAll(value, redacted), text)
}
