/** Limits of the gate: steps, tests, findings and receipts. */
export const gateLimits = {
  stepTimeoutSec: 300,
  /** Config `verification.prepare[].timeout_sec`. */
  prepareTimeoutSec: 1_800,
  /** Seconds until a service is ready; config `verification.services[].timeout_sec`. */
  serviceTimeoutSec: 60,
  /** Services of one configuration; last lines of one that failed to start, and their bytes. */
  services: 10,
  serviceTail: { lines: 20, bytes: 4_096 },
  /** Lines and bytes of the verifier's tail. */
  tailLines: 200,
  tailBytes: 262_144,
  /** Bytes kept from the start of a prepare step's output; their first lines are shown. */
  prepareHeadBytes: 16_384,
  /** Bytes of one log file of a verification. The tail is always kept. */
  logBytes: 64 * 1024 ** 2,
  gate: {
    /** Findings of one change. */
    findings: 60,
    /** Paths in one git command, since its command line has a bound. */
    pathsAtOnce: 200,
    /** Files of one change that the gate examines individually. */
    files: 500,
    /** Characters of all evidence together. */
    evidenceChars: 40_000,
    /** Ids of tests in a manifest. */
    ids: 200,
    /** Entries in the evidence of one finding, and characters of one entry. */
    listed: 20,
    lineChars: 300,
    /** Bytes of a file that the gate compares. */
    fileBytes: 262_144,
    /** Bytes of a text that is searched for words, and of all such texts of one change. */
    textBytes: 1_048_576,
    textsBytes: 16_777_216,
    /** Bytes of the diff of a whole change. */
    changeBytes: 4_194_304,
    /** Characters of the diff of one file. */
    diffChars: 3_000,
  },
  assurance: {
    /** The number of cores from which on two trees run at once. */
    coresForTwo: 2,
    /** Milliseconds of the steps; for faster ones a tree with few test files saves nothing. */
    narrowFromMs: 2_000,
    /**
     * Hunks that are tried; two changes with at most `gapLines` lines between them are one hunk.
     */
    hunks: 10,
    gapLines: 1,
    /**
     * Config `verification.assurance_budget`: time for all hunks as a multiple of the steps' time;
     * at least these milliseconds.
     */
    budget: 1,
    hunksMs: 10_000,
    /** Time for one hunk: a multiple of a step's own time, and the least seconds. */
    hunkTime: 4,
    hunkSec: 30,
    /** Most changed files that are reverted one by one to name the one that exchanged a result. */
    expectations: 5,
    /** Further runs of the base commit that show if a test is flaky there. */
    flakyRuns: 2,
  },
  /**
   * Limits of probes in changed code: their number, test files that get control probes, and bytes
   * of their notes.
   */
  reach: { probes: 300, testFiles: 20, noteBytes: 1_048_576 },
  /**
   * Limits of tracing the steps on a base commit. `bytes` of one step's trace; `probeMs` to try
   * whether tracing works; `reasonChars` of the reason why not. The most `commands` (command
   * lines), deciding `files`, `names` in one text, `tests` (files searched for what they import),
   * `early` files (opened before the tests) and `data` files (opened by tests alone). `depth`: how
   * many names of names are followed.
   */
  trace: {
    bytes: 64 * 1024 ** 2,
    probeMs: 30_000,
    reasonChars: 400,
    commands: 2_000,
    files: 200,
    names: 500,
    tests: 200,
    early: 2_000,
    data: 1_000,
    depth: 3,
    // Entries of an overlay that are searched for files that decide by their names.
    written: 200_000,
    // Files read by a step without named tests.
    checked: 20_000,
  },
  /**
   * Limits of the graph of modules: `files` of a tree that are read, their `bytes` together and
   * `fileBytes` of one, `trees` whose graphs are kept, and `data` files of a change whose names are
   * searched for in other files.
   */
  modules: { files: 5_000, bytes: 32 * 1024 ** 2, fileBytes: 262_144, trees: 2, data: 50 },
  /**
   * Limits of canaries: test `files` of a step that get one, files `read` to find them, changed
   * test files with `spoiled` expectations, `names` of changed sources to look for, and changed
   * `helpers` of tests that are followed.
   */
  canaries: { files: 3, read: 40, spoiled: 20, names: 20, helpers: 5 },
  /**
   * Limits of a step's test results: `tests` kept, characters of an id, `depth` of nested suites.
   * The output is read from its end.
   */
  testReport: {
    // `labels`: programs whose lines a task runner has mixed.
    tests: 20_000,
    idChars: 500,
    depth: 64,
    labels: 200,
    // `failureLines` and `failureChars` are for one failed test, `failuresChars` for all of them.
    failureLines: 6,
    failureChars: 400,
    failuresChars: 64 * 1024,
    outputChars: 16 * 1024 ** 2,
    lines: 200_000,
    lineChars: 4_000,
    junitChars: 16 * 1024 ** 2,
    junitTags: 100_000,
  },
  /**
   * Limits of a receipt: bytes of its envelope, entries of each list, characters of one text, and
   * characters of a name or path.
   */
  receipt: {
    bytes: 4 * 1024 ** 2,
    layers: 50,
    commands: 100,
    tests: 50,
    findings: 100,
    escalations: 20,
    textChars: 1_000,
    nameChars: 300,
  },
  /** Milliseconds for a sandbox to open in the background. */
  sandboxOpenMs: 30_000,
  /** Limits of one sandbox: bytes and counts. */
  sandbox: {
    memoryBytes: 4 * 1024 ** 3,
    fileBytes: 4 * 1024 ** 3,
    openFiles: 16_384,
    tmpfsBytes: 1024 ** 3,
  },
  /**
   * Free space that a command must leave on its disk, in bytes and in files: a share of the disk,
   * and not less than a `burst`, which is at most another share of it; never more than `bytes` and
   * `files`, and than a share of what was free when it began. `fastest`: the most that a program
   * takes in a millisecond. Milliseconds between two looks: as many as the fastest needs to reach
   * the reserve, between these two.
   */
  spaceLeft: {
    bytes: 1024 ** 3,
    files: 10_000,
    shareOfDisk: 0.05,
    shareOfFree: 0.9,
    burst: { bytes: 128 * 1024 ** 2, files: 5_000 },
    shareOfBurst: 0.25,
    fastest: { bytes: 4 * 1024 ** 2, files: 300 },
    lookMs: 500,
    shortestLookMs: 5,
  },
  /**
   * The wait of a step that found a disk full: milliseconds between two checks, and tries that may
   * fail although there is space.
   */
  spaceWait: { lookMs: 5_000, tries: 3 },
  /** Acceptance tests that a person supplies: files, bytes of all, characters of a path. */
  acceptance: { files: 200, bytes: 4 * 1024 ** 2, pathChars: 1_024 },
  /**
   * Acceptance tests that an architect writes for one story: files, and characters of a path and of
   * a file; criteria, and tests of one; entry points of the interface, and characters of a line;
   * quotes for one test, and characters of one; returns to their author, and lines of output shown
   * with a return.
   */
  writtenTests: {
    files: 20,
    path: 400,
    fileChars: 40_000,
    criteria: 50,
    testsOfCriterion: 20,
    entries: 30,
    lineChars: 300,
    quotes: 20,
    quoteChars: 2_000,
    returns: 2,
    tailLines: 60,
  },
  /**
   * With less free space than this, a verification's build is removed to make room for its result.
   */
  diskReserve: { bytes: 1_048_576, files: 100 },
} as const
