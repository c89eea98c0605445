/** Limits of `drydock bench`. */
export const evaluationLimits = {
  /** Bytes of one text of a suite: `suite.json`, a spec, a patch or a configuration. */
  suiteBytes: 33_554_432,
  /** Repeats of each task on the command line, and attempts at once. */
  repeats: 1_000,
  jobs: 64,
  /** Milliseconds for an attempt to save its work once its time is over. */
  attemptGraceMs: 20_000,
  /** Most questions of one attempt that the suite answers. */
  answers: 20,
  /** Lines of the hidden tests' output that a record keeps. */
  hiddenLines: 60,
  /**
   * For the dashboard: bytes of a patch and of the newest events of an attempt, events sent to it,
   * and records kept in memory.
   */
  attemptBytes: 4 * 1024 ** 2,
  eventBytes: 512 * 1024,
  events: 300,
  recordsRead: 20_000,
  /** The quantile of the normal distribution for intervals of 95 %. */
  intervalZ: 1.959964,
} as const
