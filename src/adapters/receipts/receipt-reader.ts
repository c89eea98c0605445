import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { open } from 'node:fs/promises'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { ListedCommits, NamedKeys, NotedText, PublicKey, ReceiptReader } from '../../ports/receipts.ts'
import { checkReceipt } from './check-receipt.ts'
import { keyId, type OwnKey, publicPem } from './signing-key.ts'

interface ReaderOptions {
  readonly ownKey: OwnKey
  /** The files that the user's configuration names. */
  readonly trustedKeys: readonly string[]
  /** The path of the user's configuration, for error messages. */
  readonly configFile: string
  readonly notedCommit: (
    directory: string,
    wanted: { readonly revision: string; readonly maxBytes: number },
  ) => Promise<{
    readonly commit: string
    readonly tree: string
    readonly note: { readonly text: string; readonly truncated: boolean } | null
    readonly remote: string | null
  }>
  readonly notedCommits: (directory: string, also: readonly string[]) => Promise<ListedCommits>
  readonly notedTexts: (
    directory: string,
    wanted: { readonly notes: readonly string[]; readonly maxBytes: number },
  ) => Promise<NotedText>
}

export function createReceiptReader({
  ownKey,
  trustedKeys,
  configFile,
  notedCommit,
  notedCommits,
  notedTexts,
}: ReaderOptions): ReceiptReader {
  return {
    async publicKey() {
      return asPublic(await ownKey.signing())
    },
    async existingKey() {
      const key = await ownKey.existing()
      return key && asPublic(key)
    },
    async check({ directory, revision, only }) {
      const { note, ...noted } = await notedCommit(directory, { revision, maxBytes: limits.receipt.bytes })
      const keys = only === null ? await trusted() : await named(only)
      if (note === null) {
        return { ...noted, checked: missing, digest: null, trusted: keys.length }
      }
      const text = note.truncated ? null : note.text
      return {
        ...noted,
        checked: checkReceipt({ ...noted, text, keys }),
        digest: digestOf(note.text),
        trusted: keys.length,
      }
    },
    list: notedCommits,
    async checkAll(directory, commits) {
      const keys = await trusted()
      const notes = [...new Set(commits.flatMap(({ note }) => note ?? []))]
      const texts = await notedTexts(directory, { notes, maxBytes: limits.receipt.bytes })
      return commits.map((each) => {
        if (each.note === null) return { ...each, checked: missing, text: null, digest: null }
        const text = texts.get(each.note) ?? null
        const digest = text === null ? null : digestOf(text)
        return { ...each, checked: checkReceipt({ ...each, text, keys }), text, digest }
      })
    },
    trusted: async () => (await trusted()).map(keyId),
  }

  async function trusted() {
    const own = await ownKey.existing()
    const todo = `Correct receipts.trusted_keys in ${configFile}.`
    const others = await Promise.all(trustedKeys.map((file) => requireKey(file, 'bad_config', todo)))
    return own === null ? others : [own, ...others]
  }
}

const missing = { ok: false, fault: 'receipt_missing', receipt: null, key: null, found: null } as const

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

async function named({ files, pem = '' }: NamedKeys) {
  const keys = await Promise.all(files.map((file) => requireKey(file, 'bad_usage', 'Correct --key.')))
  const texts = pem.match(/-----BEGIN [^-]+-----.*?-----END [^-]+-----/gs) ?? (pem.trim() === '' ? [] : [pem])
  return [...keys, ...texts.map((text) => orRefuse(readPublicKey(text), 'The given text', 'bad_usage', 'Correct it.'))]
}

function asPublic(key: KeyObject): PublicKey {
  return { id: keyId(key), pem: publicPem(key) }
}

async function requireKey(file: string, code: 'bad_usage' | 'bad_config', todo: string) {
  return orRefuse(await publicKey(file), file, code, todo)
}

function orRefuse(
  key: KeyObject | { readonly problem: string },
  what: string,
  code: 'bad_usage' | 'bad_config',
  todo: string,
): KeyObject {
  if (!('problem' in key)) return key
  throw new DrydockError(code, `${what} cannot be used as a key: ${key.problem}`, { todo })
}

/**
 * The ed25519 public key in a PEM file, also if it holds the private key; or the reason why there
 * is none.
 */
async function publicKey(file: string): Promise<KeyObject | { readonly problem: string }> {
  try {
    await using handle = await open(file)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(limits.keyBytes), 0, limits.keyBytes, 0)
    return readPublicKey(buffer.subarray(0, bytesRead))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { problem: message ?? code }
  }
}

/** The ed25519 public key in a PEM text. */
function readPublicKey(pem: string | Buffer): KeyObject | { readonly problem: string } {
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
    return { problem: `it is a key for ${key.asymmetricKeyType}, not ed25519` }
  } catch {
    return { problem: 'it holds no public key (PEM)' }
  }
}
