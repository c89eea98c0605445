/** Of one stream of a shell. */
export interface BetweenMarks {
  take(bytes: Buffer): void
  /** Hands on what could have been the begin of the second mark. */
  close(): void
  /** Whether the first mark has come. */
  readonly hasBegun: boolean
  /** What came with the second mark. */
  readonly status: string | undefined
}

/** Letters of a status. */
export const statusLength = 4

/**
 * Hands on what comes between two marks; a status follows the second. What comes before, something
 * else has said: what an earlier program left behind.
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
