import type { UnsignedReceipt } from '../domain/verification/receipt.ts'
import type { CheckedReceipt } from '../domain/verification/receipt-fault.ts'

/**
 * A receipt as it is stored and noted: the text of a signed envelope, and its path below
 * ARTIFACT_DIR.
 */
export interface KeptReceipt {
  readonly text: string
  readonly path: string
}

/**
 * Signs receipts with the key of this installation. The key is made at its first use and never
 * leaves the signing process.
 */
export interface Receipts {
  /**
   * Signs a receipt and keeps it for good. A later call for the same commit and tree returns the
   * kept receipt, byte for byte, whatever else has changed; with `anew` the new receipt replaces
   * it. Throws DrydockError `receipt_failed` without a key or when the receipt cannot be kept, and
   * `disk_full`.
   */
  keep(receipt: UnsignedReceipt, how?: { readonly anew?: boolean }): Promise<KeptReceipt>
  /** The text of the receipt that was kept for a commit. Throws DrydockError `receipt_failed`. */
  textOf(commit: string): Promise<string>
}

export interface PublicKey {
  /** SHA-256 of the key's DER form, in hex. */
  readonly id: string
  readonly pem: string
}

/**
 * Reads receipts from the notes of any repository. Needs no state, owner, configuration or network.
 */
export interface ReceiptReader {
  /**
   * The public key of this installation, which is made if it does not exist. Throws DrydockError
   * `receipt_failed`.
   */
  publicKey(): Promise<PublicKey>
  /**
   * The public key of this installation, or null if it does not exist yet. Throws DrydockError
   * `receipt_failed` for a key that must not be used.
   */
  existingKey(): Promise<PublicKey | null>
  /**
   * Checks the note of a commit. With `only` these keys alone are trusted; otherwise this
   * installation's own key and those that the user's file names. Throws DrydockError
   * `not_a_repository`, `unknown_revision`, and `bad_usage` or `bad_config` for input without a
   * key.
   */
  check(asked: {
    /** Any folder of the repository. */
    readonly directory: string
    readonly revision: string
    readonly only: NamedKeys | null
  }): Promise<{
    readonly commit: string
    readonly tree: string
    readonly checked: CheckedReceipt
    /** SHA-256 of the note in hex; null without a note. */
    readonly digest: string | null
    /** The remote to fetch notes from; null for a repository without remotes. */
    readonly remote: string | null
    /** Number of trusted keys. */
    readonly trusted: number
  }>
  /** The commits with a note, and the existing ones of `also`, newest first. */
  list(directory: string, also: readonly string[]): Promise<ListedCommits>
  /** Checks many notes together, against the same keys as `check` does. */
  checkAll(directory: string, commits: readonly ListedCommit[]): Promise<readonly CheckedCommit[]>
  /** Ids of the keys that are trusted. Throws DrydockError `bad_config`. */
  trusted(): Promise<readonly string[]>
}

/** A commit that has a note, or could have one. */
export interface ListedCommit {
  readonly commit: string
  readonly tree: string
  /** Date of the commit, ISO 8601. */
  readonly at: string
  /** The first line of the message. */
  readonly subject: string
  /** Git's id of the note; null without one. */
  readonly note: string | null
}

export interface ListedCommits {
  /** The tip of `refs/notes/drydock`; null without notes. */
  readonly notes: string | null
  /** Commits, newest first. */
  readonly commits: readonly ListedCommit[]
  /** Notes about commits that this repository does not have. */
  readonly elsewhere: number
  readonly remote: string | null
}

/** Texts of notes, by their ids in git. */
export type NotedText = Map<string, string>

/** The result of checking a listed commit's note. */
export interface CheckedCommit extends ListedCommit {
  readonly checked: CheckedReceipt
  /** The unchanged note; null without one, and for one that is longer than a receipt can be. */
  readonly text: string | null
  readonly digest: string | null
}

/** Public keys named for one check. */
export interface NamedKeys {
  /** Files in the PEM format, a key in each. */
  readonly files: readonly string[]
  /** Any number of concatenated keys in the PEM format. */
  readonly pem?: string
}
