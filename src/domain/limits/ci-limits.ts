/** Limits of `drydock ci`. */
export const ciLimits = {
  /** Bytes of the event of a pipeline. */
  eventBytes: 16_777_216,
  /** Commits of a change whose receipts are checked. */
  commits: 250,
  /**
   * Annotations of one kind. GitHub shows 10 for a step; the last one gives the number of the rest.
   */
  annotations: 10,
  /** Characters of the title and of the text of an annotation. */
  titleChars: 120,
  messageChars: 1_500,
  /** Bytes of the summary of a job. GitHub accepts 1 MiB for a step. */
  summaryBytes: 900_000,
  /** Entries of a list in a summary, characters of one, and of the evidence of a finding. */
  listed: 50,
  lineChars: 400,
  evidenceChars: 2_000,
  /** Lines and characters of the end of a log in a summary. */
  logLines: 100,
  logChars: 40_000,
  /** Bytes of the list of tests that a report is built from. */
  testListBytes: 67_108_864,
  /** Milliseconds of one git command that fetches. */
  fetchMs: 300_000,
} as const
