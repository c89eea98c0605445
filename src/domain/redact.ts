/** Shorter values are more likely words than secrets. */
const shortest = 8

/** Replaces secrets by their value, also as JSON writes them. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const values = secrets
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .sort((a, b) => b.length - a.length)
  return (text) => values.reduce((redacted, value) => redacted.replaceAll(value, '[redacted]'), text)
}
