/** How the files of a verification are kept as blobs. */

/** A piece of a file: the blob with its content, and how many lines end in it. */
export interface FilePart {
  readonly digest: string
  readonly bytes: number
  readonly lines: number
}

export interface StoredFile {
  /** Below ARTIFACT_DIR, as `logs/combined.log`. */
  readonly path: string
  readonly bytes: number
  readonly parts: readonly FilePart[]
}

/** All files of one verification. It is a blob itself, so its digest stands for all of them. */
export interface FileIndex {
  readonly version: 1
  readonly files: readonly StoredFile[]
  /** How many files were too many or too large. */
  readonly left_out: number
}

/** Where the files of a verification are kept, as its row says. */
export interface StoredAt {
  /** The space of the state that has stored them. */
  readonly space: string
  /** The digest of the index. */
  readonly index: string
  readonly files: number
  readonly bytes: number
}

export interface PartsOfEnd {
  readonly parts: readonly FilePart[]
  /** Bytes at the start of the first of them that are not wanted. */
  readonly cut: number
  /** What is before these parts. */
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
