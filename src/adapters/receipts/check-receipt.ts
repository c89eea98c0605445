import type { KeyObject } from 'node:crypto'
import { type CheckedReceipt, type ReceiptFault, speaksOf } from '../../domain/verification/receipt-fault.ts'
import { isSigned, unseal } from './dsse.ts'
import { keyId } from './signing-key.ts'
import { readStatement } from './statement.ts'

interface Checking {
  /** The note; null when there is none, or one that is longer than a receipt can be. */
  readonly text: string | null
  readonly commit: string
  readonly tree: string
  /** Those that are trusted. */
  readonly keys: readonly KeyObject[]
}

/**
 * What a text is worth as the receipt of a commit. It may be anybody's: nothing of it is believed
 * before its signature.
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
