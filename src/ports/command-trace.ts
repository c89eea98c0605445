/**
 * The choice of what is kept of a command's trace: what its processes open and start, as strace(1)
 * writes it with `-f -y -z` and their own numbers. The command ends as without it, unless it looks
 * for a tracer and finds it.
 */
export interface CommandTrace {
  /** Extended regular expressions of its lines: which are kept, and which of them are left out. */
  readonly keeps: string
  readonly leavesOut: string
  /** Also what they ask about, list and fail to find, and what shows one process another. */
  readonly looks?: boolean
}
