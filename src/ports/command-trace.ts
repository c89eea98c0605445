/**
 * What a command's processes open and start, as strace(1) writes it with `-f -y -z`. The command
 * ends as without it, unless it looks for a tracer.
 */
export interface CommandTrace {
  /** Where it is written: an absolute path inside, in a folder that can be written. */
  readonly file: string
  /** Where the exit code is kept for as long as it runs, and possibly longer. */
  readonly exitCode: string
  /** Extended regular expressions of its lines: which are kept, and which of them are left out. */
  readonly keeps: string
  readonly leavesOut: string
  /** Also what they ask about, list and fail to find, and what shows one process another. */
  readonly looks?: boolean
}
