import { redacted } from '../../../domain/secrets/redact.ts'

/**
 * Shorter values, or those without a digit, are likely to be words, since local servers accept any
 * key.
 */
const shortest = 16

/** Redacts secrets from bytes that come in pieces. All other bytes pass unchanged. */
export interface SecretFilter {
  /** The bytes that can be passed on, without a tail that may be the beginning of a secret. */
  take(bytes: Uint8Array): Buffer
  /** The bytes that were held back. */
  rest(): Buffer
}

export function createSecretFilter(secrets: readonly string[]): SecretFilter {
  // In latin1 each character is one byte.
  const known = secrets
    .filter((secret) => secret.length >= shortest && /\d/.test(secret))
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .map((secret) => Buffer.from(secret).toString('latin1'))
  const longest = Math.max(0, ...known.map(({ length }) => length))
  let kept = ''

  function begunAtEnd(text: string): number {
    for (let length = Math.min(longest - 1, text.length); length > 0; length -= 1) {
      const end = text.slice(-length)
      if (known.some((secret) => secret.startsWith(end))) return length
    }
    return 0
  }

  return {
    take(bytes) {
      if (known.length === 0) return Buffer.from(bytes)
      const text = known.reduce(
        (rest, secret) => rest.replaceAll(secret, redacted),
        kept + Buffer.from(bytes).toString('latin1'),
      )
      const length = begunAtEnd(text)
      kept = length === 0 ? '' : text.slice(-length)
      return Buffer.from(text.slice(0, text.length - length), 'latin1')
    },
    rest() {
      const rest = Buffer.from(kept, 'latin1')
      kept = ''
      return rest
    },
  }
}
