/**
 * Filters for a command's trace: the files and programs that its processes open and start, in the
 * format of strace(1) with `-f -y -z` and their own numbers. The command behaves as without a
 * trace, unless it looks for a tracer.
 */
export interface CommandTrace {
  /** Extended regular expressions for lines: those to keep, and of these the ones to leave out. */
  readonly keeps: string
  readonly leavesOut: string
  /** True to include lookups, listings and failed opens, and calls that reveal other processes. */
  readonly looks?: boolean
}
