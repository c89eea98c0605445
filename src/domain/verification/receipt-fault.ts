import type { Receipt, Statement } from './receipt.ts'

/** A reason why a commit's receipt proves nothing. */
export type ReceiptFault =
  | 'receipt_missing'
  | 'receipt_malformed'
  | 'receipt_unknown_key'
  | 'receipt_changed'
  | 'receipt_unknown_version'
  | 'receipt_other_commit'
  | 'receipt_other_tree'

/**
 * The result of checking a note. Without `ok` nothing proves the receipt; `receipt` is null when it
 * cannot be read.
 */
export type CheckedReceipt =
  | { readonly ok: true; readonly receipt: Receipt; readonly key: string }
  | {
      readonly ok: false
      readonly fault: ReceiptFault
      readonly receipt: Receipt | null
      /** Id of the key that the receipt names. */
      readonly key: string | null
      /** The value that was found in place of the expected one. */
      readonly found: string | null
    }

/**
 * The fault of a statement that is not about this commit and tree; null if it is. Both the subject
 * and the predicate must name them.
 */
export function speaksOf(
  { subject, predicate }: Statement,
  { commit, tree }: { readonly commit: string; readonly tree: string },
): { readonly fault: ReceiptFault; readonly found: string } | null {
  const commits = [...subject.flatMap(({ digest }) => digest.gitCommit ?? []), predicate.commit]
  const otherCommit = commits.find((each) => each !== commit)
  if (otherCommit !== undefined) return { fault: 'receipt_other_commit', found: otherCommit }
  const trees = [...subject.flatMap(({ digest }) => digest.gitTree ?? []), predicate.tree]
  const otherTree = trees.find((each) => each !== tree)
  return otherTree === undefined ? null : { fault: 'receipt_other_tree', found: otherTree }
}
