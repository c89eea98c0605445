/** Limits of output for people. */
export const screenLimits = {
  /** Milliseconds over which the events of several commits are read together. */
  eventsTogetherMs: 15,
  /** Ended runs that `drydock status` shows. */
  recentRuns: 10,
  /** Characters of a model's text in an event. */
  eventTextChars: 400,
  /** Paths in an event. */
  eventPaths: 20,
  /** Milliseconds until git first reports progress on a large repository, and between reports. */
  gitProgress: { afterMs: 1_000, everyMs: 2_000 },
  /** Bytes of the diff that a dry run prints. */
  previewBytes: 4_194_304,
  /** Uncommitted files that a Run lists when it starts. */
  uncommittedNames: 10,
  /**
   * Limits of a report: characters of the task and of one line, named failing tests, names in a
   * list and characters of one name. `payloadChars`: all scouts' payloads in a context file.
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
  /** Limits of `drydock log`: characters of one line, and of a text shown in full. */
  log: { lineChars: 300, textChars: 20_000 },
  /**
   * Limits of notifications: tries, the first and the longest pause between two, the time of one
   * try and of one connection, notices at once, characters of a title and of a question.
   */
  notify: {
    tries: 10,
    firstPauseMs: 1_000,
    longestPauseMs: 300_000,
    timeoutMs: 10_000,
    connectMs: 3_000,
    atOnce: 2,
    titleChars: 200,
    questionChars: 2_000,
  },
  /**
   * Limits of the dashboard: the first port and the number of ports to try, bytes of a request,
   * connections without a complete one, streams at once and the milliseconds between two
   * heartbeats, milliseconds of a session and of a command token, characters of a text in the
   * timeline and of one fetched by itself, bytes of a log, points of a drawn line, and state
   * transitions. `lookMs`: the longest look at a workspace; `lookRest`: the pause after it, as a
   * multiple of its length. `fileLines`: lines of a file per request. Receipts in a page of a list,
   * and checked at once; listed files of a result. `otherRuns`: Runs shown for each repository.
   * `goneBranches`: ended Runs whose branch is checked, and milliseconds for which the fate of a
   * deleted one is cached. `heldMs`: how long a command can be taken back; `refusedMs`: how long
   * one that was refused then is shown.
   */
  dashboard: {
    port: 4_517,
    ports: 100,
    requestBytes: 4 * 1024 ** 2,
    waiting: 256,
    streams: 64,
    heartbeatMs: 15_000,
    sessionMs: 12 * 3_600_000,
    tokenMs: 5 * 60_000,
    textChars: 4_000,
    wholeTextChars: 400_000,
    logBytes: 4 * 1024 ** 2,
    points: 200,
    transitions: 100,
    lookMs: 20_000,
    lookRest: 3,
    fileLines: 2_000,
    otherRuns: 10,
    goneBranches: 50,
    goneBranchMs: 60_000,
    receipts: 50,
    receiptChecks: 100,
    finishFiles: 200,
    heldMs: 10_000,
    refusedMs: 60_000,
  },
  /**
   * Limits of live views. Characters kept of one reply, sent for a story and for each lane of a
   * Run, and of a tool's line; lanes, and tools of one. Milliseconds: `costMs` averages the cost
   * per minute, `togetherMs` batches changes, `firstMs` bounds a first request's wait for the
   * owner, `waitMs` a wait for a change, `lookMs` keeps views running after the last look,
   * `runRestMs` and `storyRestMs` separate two messages about a Run or a story. `followed`: most
   * that one stream follows.
   */
  live: {
    replyChars: 20_000,
    storyChars: 4_000,
    runChars: 400,
    lineChars: 200,
    lanes: 500,
    tools: 20,
    costMs: 300_000,
    togetherMs: 80,
    firstMs: 500,
    waitMs: 20_000,
    lookMs: 5_000,
    runRestMs: 300,
    storyRestMs: 120,
    followed: 20,
  },
  /**
   * Limits of the dashboard's search: characters of a query and of a tool's input that is searched,
   * words of a query, results of each kind, and characters of an excerpt. Limits of its index: Runs
   * read for one query, texts and characters of one Run, characters of one text and of all.
   */
  search: {
    queryChars: 200,
    inputChars: 2_000,
    words: 8,
    ofKind: 6,
    excerptChars: 160,
    runsAtOnce: 60,
    textsOfRun: 5_000,
    charsOfRun: 400_000,
    textChars: 4_000,
    chars: 24_000_000,
  },
  /**
   * Limits of `drydock acp`: characters of a text and of a title, of each side of a diff, sessions
   * in a list, restarts in a row of the working process for a run that does not move, and the
   * milliseconds after which a session polls if nothing has woken it.
   */
  acp: {
    textChars: 16_000,
    titleChars: 200,
    diffChars: 100_000,
    sessions: 100,
    workers: 3,
    lookMs: 5_000,
  },
} as const
