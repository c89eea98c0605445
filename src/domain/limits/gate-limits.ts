/** Of the gate: steps, tests, findings and receipts. */
export const gateLimits = {
  stepTimeoutSec: 300,
  /** Config `verification.prepare[].timeout_sec`. */
  prepareTimeoutSec: 1_800,
  /** Lines of the verifier's tail, and the bytes it may take. */
  tailLines: 200,
  tailBytes: 262_144,
  /** Bytes of the beginning of a prepare step's output, of which the first lines are shown. */
  prepareHeadBytes: 16_384,
  /** Bytes of one log file of a verification; the tail is kept whatever the size. */
  logBytes: 64 * 1024 ** 2,
  /**
   * Of the gate: findings of one change, files that are looked at one by one, characters of all
   * evidence together, ids of tests in a manifest; of one finding, things that its evidence lists,
   * characters of one, bytes of a file that is compared, and of the diff of a whole change,
   * characters of a file's diff.
   */
  gate: {
    findings: 60,
    files: 500,
    evidenceChars: 40_000,
    ids: 200,
    listed: 20,
    lineChars: 300,
    fileBytes: 262_144,
    changeBytes: 4_194_304,
    diffChars: 3_000,
  },
  /**
   * Of what is tried beside the steps: cores of a machine from which on two trees run at once. Of
   * hunks: how many, lines between two that are one, and the time for all of
   * them, in times of the steps and milliseconds, whichever is more. Of one: times of a step's own
   * time, and seconds at least, until it is cut off.
   */
  assurance: {
    coresForTwo: 4,
    ...{ hunks: 10, gapLines: 1, hunksTime: 2, hunksMs: 60_000, hunkTime: 4, hunkSec: 30 },
  },
  /**
   * Of tracing the steps on a base commit: bytes of one step's trace, milliseconds of the try
   * whether it can be had and characters of what stands against it; command lines that are looked
   * at, files that decide, names in one text, test files that are asked for what they test, files
   * that are opened before the tests, and how often what is named is followed.
   */
  trace: {
    ...{ bytes: 64 * 1024 ** 2, probeMs: 30_000, reasonChars: 400 },
    ...{ commands: 2_000, files: 200, names: 500, tests: 200, early: 2_000, depth: 3 },
  },
  /**
   * Canaries: test files of a step that get one, files that are read to find them, changed test
   * files whose expectations are spoiled, names of changed sources that are looked for.
   */
  canaries: { files: 3, read: 40, spoiled: 20, names: 20 },
  /**
   * Of what a step says about its tests: how many are kept, characters of an id. Of its output,
   * from the end: characters, lines, characters of a line. Of a JUnit file: characters, and tags.
   * Suites inside one another.
   */
  testReport: {
    ...{ tests: 20_000, idChars: 500, depth: 64 },
    // Of what a runner says of one failed test; of all of them.
    ...{ failureLines: 6, failureChars: 400, failuresChars: 64 * 1024 },
    ...{ outputChars: 16 * 1024 ** 2, lines: 200_000, lineChars: 4_000 },
    ...{ junitChars: 16 * 1024 ** 2, junitTags: 100_000 },
  },
  /**
   * Of a receipt: bytes of its envelope; entries of its lists; characters of one text, and of a
   * name or path.
   */
  receipt: {
    ...{ bytes: 4 * 1024 ** 2, layers: 50, commands: 100, tests: 50, findings: 100, escalations: 20 },
    ...{ textChars: 1_000, nameChars: 300 },
  },
  /** Of one sandbox; bytes and counts. */
  sandbox: {
    memoryBytes: 4 * 1024 ** 3,
    fileBytes: 4 * 1024 ** 3,
    openFiles: 16_384,
    tmpfsBytes: 1024 ** 3,
  },
  /**
   * What a command leaves free on a disk that it writes to: bytes, but no more than a share of the
   * disk, and of what was free when it began. Milliseconds between two looks while it runs.
   */
  spaceLeft: { bytes: 1024 ** 3, shareOfDisk: 0.05, shareOfFree: 0.9, lookMs: 500 },
  /** Bytes on the disk below which what a verification has built makes place for its answer. */
  diskReserveBytes: 1_048_576,
} as const
