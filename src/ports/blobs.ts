/** A part of a blob, from `start` to before `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface StoredBlob {
  /** SHA-256 of the content in hex: its name. */
  readonly digest: string
  readonly bytes: number
}

/**
 * A group of blobs: `space` belongs to one state and is unguessable, `name` names the content. Both
 * are words.
 */
export interface BlobFolder {
  readonly space: string
  readonly name: string
}

/**
 * The blobs of one folder. A blob has at least one byte and at most `limits.blobs.bytes`; larger
 * content is split. The name is the digest, so two processes may put the same content at once, and
 * no blob is ever overwritten by different content. All methods reject with DrydockError
 * `blobs_unreachable` during an outage of the place and `blobs_refused` when it denies access, and
 * with the signal's reason.
 */
export interface Blobs {
  /** Resolves when the whole blob is stored. Throws for content that cannot be a blob. */
  put(content: Uint8Array | AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<StoredBlob>
  /**
   * The content, or a part of it; null without such a blob. No byte is returned before the whole
   * content has been compared with its digest: DrydockError `blob_damaged`.
   */
  get(digest: string, range: ByteRange | null, signal: AbortSignal): Promise<Uint8Array | null>
  /** Deletes a blob; does nothing if it is missing. */
  delete(digest: string, signal: AbortSignal): Promise<void>
}

/** A place for blobs, which several states and machines may share. */
export interface BlobStore {
  /** A description for printing, without secrets. */
  readonly place: string
  at(folder: BlobFolder): Blobs
  /** The names of a space's folders that have blobs. */
  folders(space: string, signal: AbortSignal): Promise<readonly string[]>
  /** Removes all blobs of a folder. */
  remove(folder: BlobFolder, signal: AbortSignal): Promise<void>
}

/** The state of blob storage, which is kept apart from the rows. */
export interface BlobStanding {
  /** The state's own space in the place. */
  readonly space: string
  /** Number of verifications that wait to be stored. */
  readonly waiting: number
  /** The last failure, and the time since when tries fail; null after a success. */
  readonly problem: string | null
  readonly since: string | null
}

/** Persists the standing for all processes of this state. */
export interface BlobStandingFile {
  /** Null if no blob was ever put. */
  read(): Promise<BlobStanding | null>
  write(standing: BlobStanding): Promise<void>
}

/** The place for a state's files outside this machine, with its standing. */
export interface KeptBlobs {
  readonly store: BlobStore
  readonly standing: BlobStandingFile
}
