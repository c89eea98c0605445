/** The form in which files of a verification are kept as blobs. */

/** A piece of a file: the blob with its content, and the number of lines that end in it. */
export interface FilePart {
  readonly digest: string
  readonly bytes: number
  readonly lines: number
}

export interface StoredFile {
  /** Path below ARTIFACT_DIR, as `logs/combined.log`. */
  readonly path: string
  readonly bytes: number
  readonly parts: readonly FilePart[]
}

/**
 * The index of all files of one verification. The index is a blob itself, so its digest stands for
 * all of them.
 */
export interface FileIndex {
  readonly version: 1
  readonly files: readonly StoredFile[]
  /** Number of files that were too many or too large. */
  readonly left_out: number
}

/** The place of a verification's stored files, as its row says. */
export interface StoredAt {
  /** The space of the state that stored them. */
  readonly space: string
  /** The digest of the index. */
  readonly index: string
  readonly files: number
  readonly bytes: number
}

export interface PartsOfEnd {
  readonly parts: readonly FilePart[]
  /** Unwanted bytes at the start of the first part. */
  readonly cut: number
  /** The size of the file before these parts. */
  readonly before: { readonly bytes: number; readonly lines: number }
}

/** The parts that hold the last `maxBytes` of a file. */
export function partsOfEnd({ bytes, parts }: StoredFile, maxBytes: number): PartsOfEnd {
  const start = Math.max(0, bytes - maxBytes)
  let at = 0
  let lines = 0
  for (const [i, part] of parts.entries()) {
    if (at + part.bytes > start) return { parts: parts.slice(i), cut: start - at, before: { bytes: at, lines } }
    at += part.bytes
    lines += part.lines
  }
  return { parts: [], cut: 0, before: { bytes: at, lines } }
}
