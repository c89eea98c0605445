import { createReceiptReader } from '../../src/adapters/receipts/receipt-reader.ts'
import { createReceipts } from '../../src/adapters/receipts/receipts.ts'
import { ownKeyIn } from '../../src/adapters/receipts/signing-key.ts'
import type { ListedCommit, ReceiptReader, Receipts } from '../../src/ports/receipts.ts'
import { headOf, type Repository, revision } from '../world/git.ts'

/** Signs with a key in a real folder, and reads the notes of a repository in memory. */
export const signingIn =
  (folder: string) =>
  (repository: Repository): { readonly receipts: Receipts; readonly reader: ReceiptReader } => {
    const { objects, notes } = repository
    const listed = (commit: string): ListedCommit => {
      const found = objects.commits.get(commit)
      return {
        commit,
        tree: found?.tree ?? '',
        at: (found?.at ?? new Date(0)).toISOString(),
        subject: found?.message.split('\n')[0] ?? '',
        note: notes.has(commit) ? commit : null,
      }
    }
    const reader = createReceiptReader({
      ownKey: ownKeyIn(folder),
      trustedKeys: [],
      configFile: 'the user',
      async notedCommit(_, wanted) {
        const commit = revision(repository, wanted.revision) ?? headOf(repository) ?? ''
        const text = notes.get(commit)
        const note = text === undefined ? null : { text, truncated: false }
        return { commit, tree: listed(commit).tree, note, remote: null }
      },
      async notedCommits(_, also) {
        const known = [...new Set([...notes.keys(), ...also])].filter((each) => objects.commits.has(each))
        const commits = known.map(listed).toSorted((a, b) => (a.at < b.at ? 1 : -1))
        return { notes: notes.size === 0 ? null : String(notes.size), commits, elsewhere: 0, remote: null }
      },
      notedTexts: async (_, wanted) => new Map(wanted.notes.map((note) => [note, notes.get(note) ?? ''])),
    })
    const receipts = createReceipts({ artifacts: folder, installation: folder, version: '0', redact: String })
    return { receipts, reader }
  }
