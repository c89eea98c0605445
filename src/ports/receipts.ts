import type { CheckedReceipt, UnsignedReceipt } from '../domain/verification/receipt.ts'

/**
 * A receipt as it is kept and noted: the text of a signed envelope, and where it lies below
 * ARTIFACT_DIR.
 */
export interface KeptReceipt {
  readonly text: string
  readonly path: string
}

/**
 * Signs receipts with the key of this installation, which is made when it is needed first and stays
 * with the process that signs.
 */
export interface Receipts {
  /**
   * Signs a receipt and keeps it for good. Made again for the same commit and tree it is what was
   * kept, whatever else has changed since, byte for byte. DrydockError
   * `receipt_failed` when there is no key, or no place to keep it; `disk_full`.
   */
  keep(receipt: UnsignedReceipt): Promise<KeptReceipt>
}

export interface PublicKey {
  /** SHA-256 of its DER form, in hex. */
  readonly id: string
  readonly pem: string
}

/**
 * Reads receipts from the notes of any repository; needs no state, no owner, no configuration and
 * no network.
 */
export interface ReceiptReader {
  /**
   * The key that this installation signs with; made when there is none. DrydockError
   * `receipt_failed`.
   */
  publicKey(): Promise<PublicKey>
  /**
   * The same, null when there is none yet. DrydockError `receipt_failed` for one that must not be
   * used.
   */
  existingKey(): Promise<PublicKey | null>
  /**
   * What the note of a commit is worth. With `keyFile` that key alone is trusted, else this
   * installation's own and those that the user's file names. DrydockError `not_a_repository`,
   * `unknown_revision`, `bad_usage` or `bad_config` for a file that holds no key.
   */
  check(asked: {
    /** Any folder of the repository. */
    readonly directory: string
    readonly revision: string
    readonly keyFile: string | null
  }): Promise<{
    readonly commit: string
    readonly tree: string
    readonly checked: CheckedReceipt
    /** Where notes can be fetched from; null for a repository without remotes. */
    readonly remote: string | null
  }>
}
