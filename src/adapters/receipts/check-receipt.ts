import type { KeyObject } from 'node:crypto'
import { type CheckedReceipt, type ReceiptFault, speaksOf } from '../../domain/verification/receipt-fault.ts'
import { isSigned, unseal } from './dsse.ts'
import { keyId } from './signing-key.ts'
import { readStatement } from './statement.ts'

interface Checking {
  /** The text of the note; null if there is none, or if it is longer than any receipt. */
  readonly text: string | null
  readonly commit: string
  readonly tree: string
  /** The trusted keys. */
  readonly keys: readonly KeyObject[]
}

/**
 * Checks a text as the receipt of a commit. Anybody may have written it, so nothing in it is
 * trusted before its signature is checked.
 */
export function checkReceipt({ text, commit, tree, keys }: Checking): CheckedReceipt {
  const envelope = text === null ? null : unseal(text)
  if (envelope === null) return { ok: false, fault: 'receipt_malformed', receipt: null, key: null, found: null }
  const statement = readStatement(envelope.payload)
  const receipt = statement?.predicate ?? null
  const fails = (fault: ReceiptFault, found: string | null = null): CheckedReceipt => {
    return { ok: false, fault, receipt, key: envelope.keyId, found }
  }
  const key = keys.find((each) => keyId(each) === envelope.keyId)
  if (key === undefined) return fails('receipt_unknown_key')
  if (!isSigned(envelope, key)) return fails('receipt_changed')
  if (statement === null) return fails('receipt_unknown_version')
  const other = speaksOf(statement, { commit, tree })
  if (other !== null) return fails(other.fault, other.found)
  return { ok: true, receipt: statement.predicate, key: envelope.keyId }
}
