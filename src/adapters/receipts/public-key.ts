import { createPublicKey, type KeyObject } from 'node:crypto'
import { open } from 'node:fs/promises'
import { limits } from '../../domain/limits.ts'

/** The ed25519 key in a PEM file, or why there is none. Of a private key the public part. */
export async function publicKey(file: string): Promise<KeyObject | { readonly problem: string }> {
  try {
    await using handle = await open(file)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(limits.keyBytes), 0, limits.keyBytes, 0)
    return readPublicKey(buffer.subarray(0, bytesRead))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { problem: message ?? code }
  }
}

/** The same for a text. */
export function readPublicKey(pem: string | Buffer): KeyObject | { readonly problem: string } {
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
    return { problem: `it is a key for ${key.asymmetricKeyType}, not ed25519` }
  } catch {
    return { problem: 'it holds no public key (PEM)' }
  }
}
