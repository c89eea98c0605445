import { createPublicKey, type KeyObject } from 'node:crypto'
import { open } from 'node:fs/promises'
import { limits } from '../../domain/limits.ts'

/** The ed25519 key in a PEM file, or why there is none. Of a private key the public part. */
export async function publicKey(file: string): Promise<KeyObject | { readonly problem: string }> {
  try {
    await using handle = await open(file)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(limits.keyBytes), 0, limits.keyBytes, 0)
    const key = createPublicKey(buffer.subarray(0, bytesRead))
    return key.asymmetricKeyType === 'ed25519'
      ? key
      : { problem: `it is a key for ${key.asymmetricKeyType}, not ed25519` }
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    return { problem: syscall === undefined ? 'it holds no public key (PEM)' : (message ?? code) }
  }
}
