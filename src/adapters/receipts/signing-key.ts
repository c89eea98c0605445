import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { makeWhole } from '../../files/write-whole.ts'

/**
 * The private key of an installation, wherever it is stored. Throws DrydockError `receipt_failed`.
 */
export interface OwnKey {
  /** Creates the key if it does not exist. */
  signing(): Promise<KeyObject>
  /** Null if the key does not exist. */
  existing(): Promise<KeyObject | null>
}

/** The key in the folder of an installation. */
export function ownKeyIn(installation: string): OwnKey {
  const file = keyFileOf(installation)
  return { signing: () => signingKey(file), existing: () => existingKey(file) }
}

/** The path beside the states of an installation, which no sandbox mounts. */
export function keyFileOf(installation: string): string {
  return join(installation, 'receipt-key.pem')
}

/**
 * The private key of an installation: created once, in a file that only its user can read, and
 * never copied. A key that others could have read is refused, since its signatures would prove
 * nothing. Throws DrydockError `receipt_failed`.
 */
export async function signingKey(file: string): Promise<KeyObject> {
  const before = await existingKey(file)
  if (before !== null) return before
  await makeKey(file)
  return (await existingKey(file)) ?? refuse(file, 'it is gone again')
}

/**
 * The key if it exists, else null. Throws DrydockError `receipt_failed` for a key that must not be
 * used.
 */
export async function existingKey(file: string): Promise<KeyObject | null> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? null : refuse(file, error.message)),
  )
  if (handle === null) return null
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.size > limits.keyBytes) return refuse(file, 'it is not a key')
    if (stats.uid !== process.getuid?.()) return refuse(file, 'it belongs to another user')
    if ((stats.mode & 0o077) !== 0) return refuse(file, 'others can read it')
    return privateKey(file, await handle.readFile('utf8'))
  } finally {
    await handle.close()
  }
}

/** SHA-256 of the public key's DER form, in hex. */
export function keyId(key: KeyObject): string {
  return createHash('sha256')
    .update(publicOf(key).export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

export function publicPem(key: KeyObject): string {
  return publicOf(key).export({ type: 'spki', format: 'pem' }).toString()
}

function publicOf(key: KeyObject): KeyObject {
  return key.type === 'private' ? createPublicKey(key) : key
}

function privateKey(file: string, pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // OpenSSL's message would not help, and might quote the file.
  }
  return refuse(file, 'it is not an ed25519 key')
}

async function makeKey(file: string): Promise<void> {
  const folder = dirname(file)
  const { privateKey: key } = generateKeyPairSync('ed25519')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await makeWhole(file, key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, onDisk: true })
  } catch (error) {
    refuse(file, (error as Error).message)
  }
}

function refuse(file: string, why: string): never {
  throw new DrydockError('receipt_failed', `The signing key of receipts cannot be used: ${file}: ${why}.`, {
    todo: `Make it a file that only you can read (chmod 600). Or move it away: Drydock then makes a new key, and old receipts need the old public key.`,
  })
}
