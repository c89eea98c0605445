/** Of what people are shown and told. */
export const screenLimits = {
  /** Runs that have ended which `drydock status` shows. */
  recentRuns: 10,
  /** Characters of a model's text in an event, which is read in passing. */
  eventTextChars: 400,
  /** Paths that an event names. */
  eventPaths: 20,
  /** Bytes of the diff that a dry run prints. */
  previewBytes: 4_194_304,
  /** Uncommitted files that are named when a Run starts. */
  uncommittedNames: 10,
  /**
   * Of a report: characters of the task and of one line, failing tests that it names, names that a
   * list has and characters of one; of a context file, characters of all scouts' payloads together.
   */
  report: {
    taskChars: 8_000,
    lineChars: 400,
    failingTests: 10,
    firstGateLines: 20,
    names: 100,
    nameChars: 200,
    payloadChars: 200_000,
  },
  /**
   * Of `drydock log`: characters of what is told in one line, and of a text that is shown in whole.
   */
  log: { lineChars: 300, textChars: 20_000 },
  /**
   * Of telling people: tries, milliseconds between two of them at first and at most, of one, and of
   * a look whether anybody is there; notices under way at once; characters of a title and of a
   * question.
   */
  notify: {
    ...{ tries: 10, firstPauseMs: 1_000, longestPauseMs: 300_000, timeoutMs: 10_000, connectMs: 3_000, atOnce: 2 },
    ...{ titleChars: 200, questionChars: 2_000 },
  },
  /**
   * Of the dashboard: the port it asks for, and how many after it; bytes of a request, streams at
   * once, milliseconds between two signs of life of one; of a session, and of a token that acts.
   * Characters of a text in the timeline, of one that is asked for alone; bytes of a log; points of
   * a line that is drawn; moves that are shown.
   */
  dashboard: {
    ...{ port: 4_517, ports: 100, requestBytes: 4 * 1024 ** 2, streams: 64, heartbeatMs: 15_000 },
    ...{ sessionMs: 12 * 3_600_000, tokenMs: 5 * 60_000 },
    ...{ textChars: 4_000, wholeTextChars: 400_000, logBytes: 4 * 1024 ** 2, points: 200, transitions: 100 },
  },
} as const
