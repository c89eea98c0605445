import type { Redact } from '../../domain/secrets/redact.ts'

export interface RedactedWrites {
  write(chunk: Uint8Array): void
  /** Writes the bytes that are still held back. */
  end(): void
}

/**
 * The longest tail that is held back of a line without an end, the longest key, and the longest
 * private key block, in bytes.
 */
const nearEnd = 1_024
const longestToken = 8_192
const longestBlock = 32_768
const newline = 10

/**
 * Redacts secrets from bytes that come in pieces, including a secret that is split between two
 * pieces: only whole lines are passed on, and all but the last bytes of a line without an end. A
 * private key block is passed on once it is whole. All other bytes stay unchanged, whatever their
 * encoding.
 */
export function createRedactedWrites(redact: Redact, write: (bytes: Uint8Array) => void): RedactedWrites {
  let held = Buffer.alloc(0)
  const hand = (bytes: Buffer) => {
    if (bytes.length === 0) return
    const text = bytes.toString('latin1')
    const clean = redact(text)
    write(clean === text ? bytes : Buffer.from(clean, 'latin1'))
  }
  return {
    write(chunk) {
      const bytes = held.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : joined(held, chunk)
      const whole = wholeLength(bytes)
      hand(bytes.subarray(0, whole))
      // Copied, because the reader may reuse its memory.
      held = Buffer.from(bytes.subarray(whole))
    },
    end() {
      hand(held)
      held = Buffer.alloc(0)
    },
  }
}

function joined(held: Buffer, chunk: Uint8Array): Buffer {
  return Buffer.concat([held, chunk])
}

/** The number of leading bytes after which no secret can continue. */
function wholeLength(bytes: Buffer): number {
  const begin = bytes.lastIndexOf('-----BEGIN ')
  const isOpen = begin >= 0 && bytes.length - begin <= longestBlock && bytes.indexOf('-----END ', begin) < 0
  if (isOpen) return begin
  const line = bytes.lastIndexOf(newline) + 1
  if (bytes.length - line <= longestToken) return line
  const most = bytes.length - nearEnd
  for (let at = most; at > bytes.length - longestToken; at -= 1) {
    if (!isOfToken(bytes[at - 1] ?? 0)) return at
  }
  return most
}

/** True for letters, digits and the other characters of keys. */
function isOfToken(byte: number): boolean {
  return (byte >= 45 && byte <= 57) || (byte >= 64 && byte <= 90) || (byte >= 95 && byte <= 122) || byte === 43
}
