/** Limits of the state, of repositories and of the machine. */
export const stateLimits = {
  /** Limits of one change. A larger change is refused, and its editor learns why. */
  change: {
    /** Bytes of all changed files. */
    bytes: 268_435_456,
    /** Bytes of each new file, and the growth in bytes of an existing one. */
    fileBytes: 67_108_864,
    files: 50_000,
    /** Bytes of the names of all new and modified files. */
    listBytes: 16_777_216,
    /** Bytes of all ignore and attribute files of a workspace. Git reads them whole. */
    ruleBytes: 8_388_608,
  },
  /** Bytes of a repository's configuration. */
  configBytes: 262_144,
  /** Trailers that a user adds to commits, and the characters of one. */
  trailers: 20,
  trailerChars: 200,
  /** The oldest git with `merge-tree --write-tree`. */
  gitVersion: '2.38',
  /** The oldest Node that Drydock runs on. */
  nodeVersion: '24',
  /** The oldest bubblewrap with `--disable-userns`. */
  bubblewrapVersion: '0.8',
  /**
   * Hours without a change after which an unused temporary folder counts as abandoned.
   */
  temporaryHours: 1,
  /**
   * Verifications of ended Runs whose artifacts are kept, and the most days that they are kept
   * (seed, invariant 8). All snapshots of their stories are kept at least as long.
   */
  artifactRuns: 20,
  artifactDays: 14,
  /**
   * Milliseconds of delay before the collection of unneeded files, which gives the work priority.
   */
  collectAfterMs: 5_000,
  /** Bytes of all caches together: dependency layers, submodules and tool caches. */
  cacheBytes: 10 * 1024 ** 3,
  /** Bytes of a key file. */
  keyBytes: 16_384,
  /** Retries of writing a note when somebody else wrote notes at the same time. */
  noteTries: 5,
  /**
   * Milliseconds of the owner of a state: between two heartbeats, until followers call it silent,
   * and for current steps to end after Ctrl-C.
   */
  owner: { heartbeatMs: 2_000, silentMs: 6_000, stopMs: 10_000 },
  /**
   * Limits of a state on PostgreSQL: the oldest server, milliseconds for one connection and for a
   * server to come back, rollbacks of a transaction before it fails, connections of a process for
   * reading, rows copied at once, pauses.
   */
  database: {
    version: 13,
    connectMs: 10_000,
    patienceMs: 60_000,
    tries: 50,
    readers: 3,
    copiedRows: 500,
    namedStatements: 400,
    firstPauseMs: 20,
    longestPauseMs: 1_000,
  },
  /**
   * Milliseconds of workers that share a state: between two heartbeats, until a silent worker's
   * steps go to others, until a silent host loses its slots, and the silence that a lost connection
   * to the database counts as.
   */
  workers: { beatMs: 2_000, silentMs: 10_000, hostMs: 15_000, lostMs: 5_000 },
  /**
   * Free space of a disk below which a worker does not start, and a step that found the disk full
   * is not retried; on a small disk, a share of it.
   */
  spaceToWork: { bytes: 16_777_216, files: 1_000 },
  /** Number of due times shown for a new schedule. */
  schedule: { shownTimes: 3 },
  /**
   * Limits of the export of traces: events read at once, moves of a Run, milliseconds from a commit
   * to its export and of one request, pauses during a collector's outage, milliseconds of a
   * process's last try, characters of a text, bytes of an answer.
   */
  telemetry: {
    events: 256,
    moves: 100_000,
    settleMs: 5_000,
    timeoutMs: 10_000,
    endMs: 2_000,
    firstPauseMs: 1_000,
    longestPauseMs: 300_000,
    contentChars: 4_000,
    answerBytes: 65_536,
  },
  /**
   * Limits of blobs: bytes of one, of any other answer, and of each folder of one verification; its
   * files; milliseconds of a request, of the requests of a waiting reader, and, when a process
   * ends, without a stored blob and in total; pauses during an outage of the place, and before a
   * request is retried; pages of a list; bytes of an index.
   */
  blobs: {
    bytes: 4 * 1024 ** 2,
    answerBytes: 4 * 1024 ** 2,
    folderBytes: 256 * 1024 ** 2,
    files: 1_000,
    requestMs: 30_000,
    readMs: 20_000,
    endMs: 5_000,
    longestEndMs: 60_000,
    firstPauseMs: 1_000,
    longestPauseMs: 300_000,
    retryMs: [100, 400],
    pages: 10_000,
    indexBytes: 3 * 1024 ** 2,
    settleMs: 200,
  },
  /**
   * Limits of the dependency layers that machines share: bytes of one as blobs, of all that are
   * kept, and of one unpacked; its files, folders and links; characters of a path; milliseconds
   * that the work waits for one blob and for a whole layer, that a failed place is left alone, and
   * between two notes of a use; days without a use, and the number of layers kept.
   */
  sharedLayers: {
    packedBytes: 1024 ** 3,
    bytes: 20 * 1024 ** 3,
    unpackedBytes: 4 * 1024 ** 3,
    entries: 300_000,
    pathChars: 4_096,
    pieceMs: 10_000,
    waitMs: 60_000,
    pauseMs: 300_000,
    touchMs: 3_600_000,
    days: 14,
    most: 200,
  },
} as const
