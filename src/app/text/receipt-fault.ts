import { DrydockError } from '../../domain/drydock-error.ts'
import type { CheckedReceipt, ReceiptFault } from '../../domain/verification/receipt-fault.ts'
import { oneLine } from './one-line.ts'

interface ReceiptPlace {
  readonly commit: string
  readonly tree: string
  /** The remote from which receipts can be fetched; null if there is none. */
  readonly remote: string | null
}

/** The fault of a receipt in words, with advice. */
export function faultOf(
  { fault, key: id, found, receipt: said }: Extract<CheckedReceipt, { ok: false }>,
  { commit, tree, remote }: ReceiptPlace,
): DrydockError {
  const from = remote === null ? '<the origin of the commit>' : oneLine(remote)
  const fetch = `git fetch ${from} refs/notes/drydock:refs/notes/drydock`
  const told: Readonly<Record<ReceiptFault, readonly [message: string, todo: string]>> = {
    receipt_missing: [
      `There is no receipt for ${commit} in the notes of this repository.`,
      `Without a note nothing is known about how the commit was made. A clone gets notes only on request: ${fetch}`,
    ],
    receipt_malformed: [
      `The note of ${commit} is not a receipt: it is not a signed envelope in the format of Drydock.`,
      `Somebody else wrote or changed it. Get the original: ${fetch.replace('refs/notes', '+refs/notes')}`,
    ],
    receipt_unknown_key: [
      `The receipt of ${commit} is signed with a key that you do not trust here: ${id}`,
      'Ask whoever ran Drydock for the public key (drydock receipt key). Check that it has this id. Then name its file with --key FILE or in receipts.trusted_keys of your configuration.',
    ],
    receipt_changed: [
      `The receipt of ${commit} was changed after it was signed: the signature of ${id} does not match.`,
      `Do not rely on it. Get the original: ${fetch.replace('refs/notes', '+refs/notes')}`,
    ],
    receipt_unknown_version: [
      `This Drydock does not know the kind or version of the receipt of ${commit}.`,
      'Verify it with the Drydock that made it, or a newer one.',
    ],
    receipt_other_commit: [
      `The receipt is for commit ${found}, not ${commit}${said && said.tree !== tree ? ', whose files differ, too' : ''}. This commit was rewritten (amended, rebased), or never verified.`,
      `See the verified commit: git show ${found}`,
    ],
    receipt_other_tree: [
      `The receipt is for other files: it names tree ${found}, but ${commit} has ${tree} here.`,
      'This receipt was made for another commit, or changed. Look at it with drydock receipt show.',
    ],
  }
  const [message, todo] = told[fault]
  return new DrydockError(fault, message, { todo })
}
