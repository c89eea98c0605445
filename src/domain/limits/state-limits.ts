/** Of the state, of repositories and of the machine. */
export const stateLimits = {
  /** What one change may have: more is not kept, and its editor is told so. */
  change: {
    /** Bytes of all its files. */
    bytes: 268_435_456,
    /** Bytes of each; of one that was there before, bytes by which it may grow. */
    fileBytes: 67_108_864,
    files: 50_000,
    /** Bytes of the names of all that are new or modified, which are listed at once. */
    listBytes: 16_777_216,
    /** Bytes of all ignore and attribute files of a workspace, which git reads whole. */
    ruleBytes: 8_388_608,
  },
  /** Bytes of a repository's configuration. */
  configBytes: 262_144,
  /** Trailers that a user adds to commits, and characters of one. */
  trailers: 20,
  trailerChars: 200,
  /** The oldest git with `merge-tree --write-tree`. */
  gitVersion: '2.38',
  /** The oldest Node that Drydock runs on. */
  nodeVersion: '24',
  /** The oldest bubblewrap with `--disable-userns`. */
  bubblewrapVersion: '0.8',
  /**
   * Hours without a change after which a temporary folder that no process uses is one that was
   * left.
   */
  temporaryHours: 1,
  /**
   * Verifications of ended Runs whose artifacts stay, and days that they do at most (seed,
   * invariant 8); days that all snapshots of their stories do at least.
   */
  artifactRuns: 20,
  artifactDays: 14,
  /** Bytes of all caches together: dependency layers, submodules, caches of tools. */
  cacheBytes: 10 * 1024 ** 3,
  /** Bytes of a file that holds a key. */
  keyBytes: 16_384,
  /** How often a note is written again onto what somebody else has noted meanwhile. */
  noteTries: 5,
  /**
   * Milliseconds between two signs of life of the process that owns a state, until those who follow
   * it say that it is silent, and that steps under way may take to end after Ctrl-C.
   */
  owner: { heartbeatMs: 2_000, silentMs: 6_000, stopMs: 10_000 },
} as const
