/** Every number that bounds the work, in one place. Those that a config key can change say so. */
export const limits = {
  /** Model requests of an editor's lane before it is stopped; config `editor.planning_iterations`, `editor.coding_iterations`. */
  planningIterations: 10,
  codingIterations: 40,
  /**
   * Replies of an editor's lane without progress until it is stopped; config `editor.turns_without_progress`. How many until the workspace is looked at for the first
   * time, and how many marks of progress a lane remembers.
   */
  turnsWithoutProgress: 20,
  stall: { lookAfter: 3, marks: 200 },
  /** Model requests of the architect's and of a scout's lane: warned from soft on, only the terminal tool from soft + grace, none sent at hard. Config `architect.*_limit`. */
  architectSoft: 8,
  architectHard: 16,
  /** Rounds of one review on one story before a human is asked; config `editor.review_rounds`. */
  reviewRounds: 4,
  /** Returns of one story from MERGING before a human is asked. */
  mergeReturns: 3,
  /** Sets of stories that may be refused before a human is asked. */
  storyTries: 3,
  /** Hours without a change after which a temporary folder that no process uses is one that was left. */
  temporaryHours: 1,
  /** Runs that have ended which `drydock status` shows. */
  recentRuns: 10,
  /** Bytes of a spec, and of the text of a task; stories of one, and characters of each of their texts. */
  specBytes: 1_048_576,
  stories: 200,
  scoutSoft: 8,
  scoutHard: 16,
  softGrace: 4,
  /** Tries of one scout query before INFRA_ERROR (seed: coding-agent-workflow, invariant 9). */
  scoutTries: 3,
  /** Characters of what a scout said last that its editor is told when there is no report. */
  scoutWordsChars: 8_000,
  /** Model calls in a row that may fail, for a reason that can pass and while their provider answers others, before the lane fails; and milliseconds between two of them at most. */
  modelTries: 12,
  modelBackoffMs: 300_000,
  /** Seconds of a model call until the first byte of the answer, between two pieces of it, and in all. Config `model_timeouts`. */
  modelFirstByteSec: 120,
  modelIdleSec: 120,
  modelTotalSec: 900,
  /** The same for a server on this machine, which loads the model first and may be slow. */
  localFirstByteSec: 900,
  localIdleSec: 300,
  localTotalSec: 3_600,
  /** Calls that may find nobody at a provider that has answered nothing yet in the Run, and milliseconds between two of them. */
  firstTries: 3,
  firstTryPauseMs: 1_500,
  /** Seconds that a lane waits for a provider that has answered before; the second where `CI` is set. `--max-wait`, config `max_wait`. */
  maxWaitSec: 86_400,
  maxWaitCiSec: 600,
  /** Milliseconds of a wait for a provider that people need not hear of; and of the longest, whatever it asks for. */
  quietWaitMs: 10_000,
  longestModelWaitMs: 86_400_000,
  /** Of one provider: requests at once; failures in a row after which it is asked by one request alone, at times that begin and end so far apart. */
  provider: { calls: 64, failures: 3, firstPauseMs: 1_000, longestPauseMs: 300_000 },
  /** Milliseconds that a lane waits for what others have reserved, until it looks again. */
  budgetWaitMs: 250,
  /** How often a step is begun again whose commit met what another has changed since. */
  staleTries: 5,
  /** Consecutive FAILs that force a REPLAN (seed, invariant 5). */
  failuresBeforeReplan: 3,
  /** FAILs from which on an editor must say what it believes of their cause. */
  failuresBeforeHypothesis: 2,
  /** Verify loops in all before the hard stop (seed, invariant 6). */
  verifyLoops: 12,
  /** Identical tool calls (same tool, arguments and result) in a row. */
  identicalCallsWarn: 3,
  identicalCallsStop: 5,
  /** Seconds; config `architect.tool_timeout_sec` for the read and edit tools. */
  toolTimeoutSec: 30,
  commandTimeoutSec: 120,
  commandTimeoutMostSec: 600,
  stepTimeoutSec: 300,
  /** Config `verification.prepare[].timeout_sec`. */
  prepareTimeoutSec: 1_800,
  /** Bytes of a file that a tool reads or writes. */
  fileBytes: 1_048_576,
  listResults: 1_000,
  searchResults: 200,
  /** Lines of the verifier's tail, and the bytes it may take. */
  tailLines: 200,
  tailBytes: 262_144,
  /** Bytes of the beginning of a prepare step's output, of which the first lines are shown. */
  prepareHeadBytes: 16_384,
  /** Characters of one tool result that a model sees. */
  toolResultChars: 48_000,
  /** Of these, what a tool keeps free for its own words around an output that it has cut itself. */
  toolResultFrame: 500,
  /** Characters of a tool's schema that a call with a bad input is answered with. */
  schemaChars: 4_000,
  /** Characters of one text, or of one call's name or arguments, that are taken from a model. */
  modelTextChars: 65_536,
  toolNameChars: 128,
  modelInputChars: 2_097_152,
  /** Characters of one chat message. */
  chatChars: 4_096,
  /** Of these, what a text that is cut keeps free for the line that says so. */
  cutNotice: 100,
  /** Characters of a model's text in an event, which is read in passing. */
  eventTextChars: 400,
  /** Paths that an event names. */
  eventPaths: 20,
  /** The oldest git with `merge-tree --write-tree`. */
  gitVersion: '2.38',
  /** The oldest Node that Drydock runs on. */
  nodeVersion: '24',
  /** A provider that `doctor` asks is waited for so long. */
  providerProbeMs: 5_000,
  /** The oldest bubblewrap with `--disable-userns`. */
  bubblewrapVersion: '0.8',
  /** Trailers that a user adds to commits, and characters of one. */
  trailers: 20,
  trailerChars: 200,
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
  /** Bytes of what a provider says of its models. */
  modelListBytes: 16_777_216,
  /** Bytes of a repository's configuration. */
  configBytes: 262_144,
  /** Bytes of the repository's AGENTS.md or CLAUDE.md that go into a prompt. */
  guideBytes: 16_384,
  /** Bytes of `.drydock/roles/<role>.md` that go into a role's prompts, and characters of the user's own instructions for a role. */
  roleGuideBytes: 16_384,
  /** Bytes of a diff that a prompt starts with. */
  promptDiffBytes: 12_000,
  /** Characters of what is said of a change, and of what git says of a merge, in a prompt. */
  promptSummaryChars: 24_000,
  /** Bytes of the diff that a dry run prints. */
  previewBytes: 4_194_304,
  /** Most tokens that a provider is believed to have read and written in one call. */
  mostUsageTokens: 20_000_000,
  /** Tokens that one reply may have. */
  replyTokens: 16_384,
  /** Tokens of context that Ollama is asked for when the user names no number: more takes memory that a machine may not have. Config `providers.<name>.num_ctx`. */
  ollamaContext: 32_768,
  /**
   * Of a lane's conversation, in shares of the model's window: where it is cut, what is left then, and what a reply may take, and a summary. Turns that a
   * cut leaves alone; characters from which on a result is shortened; of a summary, and of a call that is kept with its answer. Tokens of a window that nobody knows;
   * config `context`.
   */
  context: {
    ...{ cutAt: 0.75, cutTo: 0.5, replyShare: 0.25, summaryShare: 0.125 },
    ...{ keepTurns: 4, shortenFrom: 400, summaryChars: 16_000, keptCallChars: 16_000 },
    unknownTokens: 128_000,
  },
  /** Of the gate: findings of one change, files that are looked at one by one, characters of all evidence together, ids of tests in a manifest; of one finding, things that its evidence lists, characters of one, bytes of a file that is compared, and of the diff of a whole change, characters of a file's diff. */
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
   * whether it can be had and characters
   * of what stands against it; command lines that are looked at, files that decide, names in one
   * text, test files that are asked for
   * what they test, files that are opened before the tests, and how often what is named is followed.
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
  /** Of a report: characters of the task and of one line, failing tests that it names, names that a list has and characters of one; of a context file, characters of all scouts' payloads together. */
  report: {
    taskChars: 8_000,
    lineChars: 400,
    failingTests: 10,
    firstGateLines: 20,
    names: 100,
    nameChars: 200,
    payloadChars: 200_000,
  },
  /** Of `drydock log`: characters of what is told in one line, and of a text that is shown in whole. */
  log: { lineChars: 300, textChars: 20_000 },
  /** A story is remarkable against the others of its Run from so many stories on that have begun, and from so many times their median on. */
  peers: { stories: 3, times: 2 },
  maxCoders: 3,
  /** What a Run may spend; config `budget`. */
  budget: { runUsd: 20, storyUsd: 5, runTokens: 20_000_000 },
  /** Of one sandbox; bytes and counts. */
  sandbox: {
    memoryBytes: 4 * 1024 ** 3,
    fileBytes: 4 * 1024 ** 3,
    openFiles: 16_384,
    tmpfsBytes: 1024 ** 3,
  },
  /** Verifications of ended Runs whose artifacts stay, and days that they do at most (seed, invariant 8); days that all snapshots of their stories do at least. */
  artifactRuns: 20,
  artifactDays: 14,
  /** Bytes of all caches together: dependency layers, submodules, caches of tools. */
  cacheBytes: 10 * 1024 ** 3,
  /**
   * Of what a step says about its tests: how many are kept, characters of an id. Of its output, from the end: characters, lines, characters of a line. Of a JUnit file:
   * characters, and tags. Suites inside one another.
   */
  testReport: {
    ...{ tests: 20_000, idChars: 500, depth: 64 },
    // Of what a runner says of one failed test; of all of them.
    ...{ failureLines: 6, failureChars: 400, failuresChars: 64 * 1024 },
    ...{ outputChars: 16 * 1024 ** 2, lines: 200_000, lineChars: 4_000 },
    ...{ junitChars: 16 * 1024 ** 2, junitTags: 100_000 },
  },
  /**
   * What a command leaves free on a disk that it writes to: bytes, but no more than a share of the disk, and of what
   * was free when it began. Milliseconds between two looks while it runs.
   */
  spaceLeft: { bytes: 1024 ** 3, shareOfDisk: 0.05, shareOfFree: 0.9, lookMs: 500 },
  /** Bytes on the disk below which what a verification has built makes place for its answer. */
  diskReserveBytes: 1_048_576,
  /** Bytes of one log file of a verification; the tail is kept whatever the size. */
  logBytes: 64 * 1024 ** 2,
  /** Of a receipt: bytes of its envelope; entries of its lists; characters of one text, and of a name or path. */
  receipt: {
    ...{ bytes: 4 * 1024 ** 2, layers: 50, commands: 100, tests: 50, findings: 100, escalations: 20 },
    ...{ textChars: 1_000, nameChars: 300 },
  },
  /** Bytes of a file that holds a key. */
  keyBytes: 16_384,
  /** How often a note is written again onto what somebody else has noted meanwhile. */
  noteTries: 5,
  /**
   * Of telling people: tries, milliseconds between two of them at first and at most, of one, and of a look whether anybody is there; notices under way at once;
   * characters of a title and of a question.
   */
  /** A process that works on a state says that it lives; who follows it and hears nothing for so long says so. */
  /** The last: how long steps that are under way may take to end after Ctrl-C. */
  owner: { heartbeatMs: 2_000, silentMs: 6_000, stopMs: 10_000 },
  /** Uncommitted files that are named when a Run starts. */
  uncommittedNames: 10,
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
