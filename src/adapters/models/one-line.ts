/** The most characters of a message for a person or a log. */
const MESSAGE_CHARS = 500

/** The least length of a secret, since shorter values occur inside words. */
const SECRET_CHARS = 8

/** A text as one line of limited length, with each secret replaced by a placeholder. */
export function oneLine(text: string, secrets: readonly string[] = []): string {
  const hidden = secrets.filter((secret) => secret.length >= SECRET_CHARS)
  const redacted = hidden.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)
  const line = redacted.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.length > MESSAGE_CHARS ? `${line.slice(0, MESSAGE_CHARS - 1)}…`.toWellFormed() : line
}
