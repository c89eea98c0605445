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
 * Where blobs lie together: `space` is a state's own and unguessable, `name` says what they are of.
 * Both are words.
 */
export interface BlobFolder {
  readonly space: string
  readonly name: string
}

/**
 * The blobs of one folder. A blob has at least one byte and at most `limits.blobs.bytes`; what is
 * larger is several blobs. Its name is its digest, so two processes may put the same content at
 * once, and nothing is ever replaced by something else. All reject with DrydockError
 * `blobs_unreachable` while the place is out and `blobs_refused` when it does not let us, and with
 * the signal's reason.
 */
export interface Blobs {
  /** Resolves when the place has all of it. Throws for what is no blob. */
  put(content: Uint8Array | AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<StoredBlob>
  /**
   * The content, or a part of it; null when there is none. No byte is returned before the whole
   * content has been compared with its digest: DrydockError `blob_damaged`.
   */
  get(digest: string, range: ByteRange | null, signal: AbortSignal): Promise<Uint8Array | null>
  /** Does nothing when there is none. */
  delete(digest: string, signal: AbortSignal): Promise<void>
}

/** A place for blobs, which several states and machines may share. */
export interface BlobStore {
  /** What may be printed of it. */
  readonly place: string
  at(folder: BlobFolder): Blobs
  /** The names of the folders of a space which have blobs. */
  folders(space: string, signal: AbortSignal): Promise<readonly string[]>
  /** Removes all blobs of a folder. */
  remove(folder: BlobFolder, signal: AbortSignal): Promise<void>
}

/** What a state knows of its blobs beside its rows. */
export interface BlobStanding {
  /** The state's own space in the place. */
  readonly space: string
  /** How many verifications wait to be stored. */
  readonly waiting: number
  /** Why the last try failed, and since when they fail; null when it did not. */
  readonly problem: string | null
  readonly since: string | null
}

/** Keeps it over the end of a process, for all processes of this state. */
export interface BlobStandingFile {
  /** Null when no blob was ever put. */
  read(): Promise<BlobStanding | null>
  write(standing: BlobStanding): Promise<void>
}

/** Where a state keeps files beside this machine, and what it knows of that. */
export interface KeptBlobs {
  readonly store: BlobStore
  readonly standing: BlobStandingFile
}
