import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { checkReceipt } from '../../src/adapters/receipts/check-receipt.ts'
import { seal } from '../../src/adapters/receipts/dsse.ts'
import { createReceiptReader } from '../../src/adapters/receipts/receipt-reader.ts'
import { payloadOf } from '../../src/adapters/receipts/receipts.ts'
import type { OwnKey } from '../../src/adapters/receipts/signing-key.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import type { ListedCommit, ReceiptReader, Receipts } from '../../src/ports/receipts.ts'

export function createMemoryKey(): OwnKey {
  let key: KeyObject | null = null
  return {
    async signing() {
      key ??= generateKeyPairSync('ed25519').privateKey
      return key
    },
    existing: async () => key,
  }
}

/** Receipts by commit, signed with a key that is in memory, too. */
export function createMemoryReceipts(options: {
  readonly key: OwnKey
  readonly version: string
  readonly redact: (text: string) => string
}): Receipts {
  const { key, version, redact } = options
  const kept = new Map<string, string>()
  return {
    async keep(receipt, { anew = false } = {}) {
      const { commit, tree } = receipt
      if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new Error(`${JSON.stringify(commit)} is no commit`)
      const own = await key.signing()
      const before = anew ? null : (kept.get(commit) ?? null)
      const isKept = before !== null && checkReceipt({ text: before, commit, tree, keys: [own] }).ok
      const text = isKept ? before : seal(Buffer.from(redact(payloadOf(receipt, version))), own)
      kept.set(commit, text)
      return { text, path: `receipts/${commit}.json` }
    },
    async textOf(commit) {
      const text = kept.get(commit)
      if (text !== undefined) return text
      throw new DrydockError('receipt_failed', `The receipt of ${commit} could not be stored: it is gone`, {
        todo: 'Make sure that Drydock can write there.',
      })
    },
  }
}

/** The parts of a repository that the reader needs. */
export interface NotedRepository {
  readonly path: string
  /** Commits by id. */
  readonly commits: ReadonlyMap<string, { readonly tree: string; readonly at: Date; readonly message: string }>
  /** Texts of notes by commit. */
  readonly notes: ReadonlyMap<string, string>
  /** The commit of a name, or null. */
  resolve(revision: string): string | null
}

/** Reads the notes of one repository in memory. */
export function createMemoryReceiptReader(repository: NotedRepository, key: OwnKey): ReceiptReader {
  const { commits, notes } = repository
  const idOf = (text: string) => createHash('sha1').update(text).digest('hex')
  function at(directory: string): void {
    if (directory === repository.path || directory.startsWith(`${repository.path}/`)) return
    throw new DrydockError('not_a_repository', `${directory} is not in a git repository.`, {
      todo: 'Use another folder.',
    })
  }
  return createReceiptReader({
    ownKey: key,
    trustedKeys: [],
    configFile: 'the configuration',
    async notedCommit(directory, { revision, maxBytes }) {
      at(directory)
      const commit = repository.resolve(revision)
      const found = commit === null ? undefined : commits.get(commit)
      if (commit === null || found === undefined)
        throw new DrydockError('unknown_revision', `There is no commit ${revision}.`, { todo: 'Name another.' })
      const text = notes.get(commit)
      const note = text === undefined ? null : { text: text.slice(0, maxBytes), truncated: text.length > maxBytes }
      return { commit, tree: found.tree, note, remote: null }
    },
    async notedCommits(directory, also) {
      at(directory)
      const listed = [...new Set([...notes.keys(), ...also])].flatMap((commit): ListedCommit[] => {
        const [found, text] = [commits.get(commit), notes.get(commit)]
        if (found === undefined) return []
        const { tree, at, message } = found
        const subject = message.split('\n')[0] ?? ''
        const date = at.toISOString().replace(/\.\d+Z$/, '+00:00')
        return [{ commit, tree, at: date, subject, note: text === undefined ? null : idOf(text) }]
      })
      return {
        notes: notes.size === 0 ? null : idOf(JSON.stringify([...notes])),
        commits: listed.sort((a, b) => b.at.localeCompare(a.at)),
        elsewhere: [...notes.keys()].filter((commit) => !commits.has(commit)).length,
        remote: null,
      }
    },
    async notedTexts(directory, { notes: asked, maxBytes }) {
      at(directory)
      const texts = [...notes.values()].filter((text) => asked.includes(idOf(text)) && text.length <= maxBytes)
      return new Map(texts.map((text) => [idOf(text), text]))
    },
  })
}
