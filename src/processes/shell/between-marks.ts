/** Reads one output stream of a shell. */
export interface BetweenMarks {
  take(bytes: Buffer): void
  /** Passes on bytes that could have been the beginning of the second mark. */
  close(): void
  /** True once the first mark has arrived. */
  readonly hasBegun: boolean
  /** The status after the second mark. */
  readonly status: string | undefined
}

/** The number of characters of a status. */
export const statusLength = 4

/**
 * Passes on the bytes between two marks; a status follows the second one. Bytes before the first
 * mark are leftover output of an earlier program.
 */
export function betweenMarks(mark: string, onBytes: (bytes: Buffer) => void): BetweenMarks {
  let hasBegun = false
  let kept: Buffer = Buffer.alloc(0)
  let status: string | undefined
  const handOn = (bytes: Buffer) => bytes.length > 0 && onBytes(bytes)

  function begin(): void {
    const at = kept.indexOf(mark, 0, 'latin1')
    hasBegun = at !== -1
    kept = kept.subarray(hasBegun ? at + mark.length : -mark.length)
  }

  return {
    take(bytes) {
      if (status !== undefined) return
      kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes])
      if (!hasBegun) begin()
      if (!hasBegun) return
      const at = kept.indexOf(mark, 0, 'latin1')
      const end = at === -1 ? Math.max(0, kept.length - mark.length) : at
      handOn(kept.subarray(0, end))
      kept = kept.subarray(end)
      const whole = mark.length + statusLength
      if (at !== -1 && kept.length >= whole) status = kept.toString('latin1', mark.length, whole).trim()
    },
    close() {
      if (hasBegun && status === undefined) handOn(kept)
    },
    get hasBegun() {
      return hasBegun
    },
    get status() {
      return status
    },
  }
}
