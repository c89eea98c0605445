/** Limits of the work on stories: turns, rounds and tries of agents. */
export const workLimits = {
  /** Further repositories that a spec may name. */
  repositories: 8,
  /** Milliseconds to clone a repository that a spec names by its URL, or to fetch updates. */
  cloneMs: 1_800_000,
  /**
   * Total of model requests before an editor's lane is stopped; config
   * `editor.planning_iterations`, `editor.coding_iterations`.
   */
  planningIterations: 160,
  codingIterations: 400,
  /** Total of replies without progress before an editor's lane is stopped. */
  idlePlanning: 40,
  idleCoding: 150,
  /**
   * Replies in a row without progress before an editor's or a scout's lane is stopped; config
   * `editor.turns_without_progress`. A lane stops sooner when its last `calls` calls brought
   * nothing new and are at most `distinctCalls` different ones. `lookEvery`: such replies between
   * two looks at the workspace. `marks`: marks of progress that a lane remembers.
   */
  turnsWithoutProgress: 25,
  stall: { calls: 12, distinctCalls: 3, lookEvery: 5, marks: 300 },
  /**
   * Model requests of the architect's and of a scout's lane: a warning from soft on, only the
   * terminal tool from soft + grace on, no request at hard. Config `architect.*_limit`.
   */
  architectSoft: 8,
  architectHard: 16,
  scoutSoft: 8,
  scoutHard: 16,
  softGrace: 4,
  /**
   * The number of last requests that accept only terminal tools; a lane with less than twice as
   * many has none.
   */
  lastTurns: 2,
  /** The shortest standstill guard, in replies, that also has last turns. */
  shortGuard: 10,
  /**
   * Replies in a row without a tool call before a lane is stopped: for a model that never called a
   * tool, and for one that has. The `scoutWords`th such reply of a scout counts as its report.
   */
  repliesWithoutCall: { never: 5, after: 8 },
  scoutWords: 2,
  /** Refusals of a terminal call for the same reason; the next one ends the lane, or is waived. */
  terminalRefusals: 2,
  /**
   * Tries of one scout query before INFRA_ERROR (seed: coding-agent-workflow, invariant 9), and the
   * pauses between them.
   */
  scoutTries: 3,
  /** Replies of scouts to one question, over all its tries. */
  scoutRequests: 20,
  scoutPauses: { firstPauseMs: 1_000, longestPauseMs: 4_000 },
  /** Characters of a scout's last words that its editor gets when there is no report. */
  scoutWordsChars: 8_000,
  /**
   * Extensions in a row, without progress in between, that a reviewer may give a stopped editor;
   * then a human is asked.
   */
  extensions: 2,
  /** Questions of one story's editor to the architect before a human is asked. */
  questions: 12,
  /** Rounds of one review on one story before a human is asked; config `editor.review_rounds`. */
  reviewRounds: 4,
  /** Returns of one story from MERGING before a human is asked. */
  mergeReturns: 3,
  /** Rounds of an interview, questions of a round, and suggested answers of a question. */
  interview: { rounds: 4, questions: 5, fewestOptions: 2, mostOptions: 4 },
  /** Refused sets of stories before a human is asked. */
  storyTries: 3,
  /**
   * Bytes of a spec or of the text of a task, and stories of a spec.
   */
  specBytes: 1_048_576,
  stories: 200,
  /** Restarts of a step whose commit met a newer change. */
  staleTries: 5,
  /**
   * Milliseconds of a lane's work before the steps of its base commit start alongside it: this
   * keeps a fast model from being slowed down, and the gate runs the steps anyway.
   */
  baseVerdictMs: 20_000,
  /** Consecutive FAILs that force a REPLAN (seed, invariant 5). */
  failuresBeforeReplan: 3,
  /** FAILs from which on an editor must give a hypothesis of their cause. */
  failuresBeforeHypothesis: 2,
  /** Verdicts in a row that flaky tests alone decided, before somebody is asked. */
  flakyVerdicts: 3,
  /**
   * Failed verifications of a story, for any cause, since its whole change was last green, before
   * the hard stop (seed, invariant 6).
   */
  verifyLoops: 12,
  /** Identical tool calls (same tool, arguments and result) in a row. */
  identicalCallsWarn: 3,
  identicalCallsStop: 5,
  /**
   * Replies in a row that were cut at their length limit before the lane is told to split its work,
   * and before a human is asked.
   */
  cutReplies: { split: 2, ask: 3 },
  /** Read-only calls of one reply that run side by side. */
  readsAtOnce: 8,
  /**
   * A story is flagged if it needs this many times the median of its siblings, once this many have
   * started.
   */
  peers: { stories: 3, times: 2 },
  /**
   * A foreign agent as the editor. `turnSec`: the longest turn. `graceMs`: time for a turn to end
   * after a call that ends it. `idleTurns`: turns in a row without such a call before the agent's
   * files, or its words as a plan, count as handed in. `tries`, `pauses`: of a failed turn.
   * `observed`: the most calls and messages of the agent stored for one turn. `batch`: observations
   * per commit, at most one every `batchMs`. `textChars`: of one observation. `toldChars`: of the
   * summary of an earlier session for a new one. `toolCallBytes`, `toolCalls`, `toolConnections`:
   * of Drydock's tools in a turn.
   */
  agentTurn: {
    turnSec: 3_600,
    graceMs: 10_000,
    idleTurns: 2,
    tries: 3,
    pauses: { firstPauseMs: 1_000, longestPauseMs: 60_000 },
    observed: 1_000,
    batch: 50,
    batchMs: 500,
    textChars: 8_000,
    toldChars: 60_000,
    toolCallBytes: 4_194_304,
    toolCalls: 200,
    toolConnections: 16,
  },
  /**
   * Remarks of people: of one batch, and of one Run. Characters of one, of the part of a diff with
   * it, of the thread that a reply is in, of all remarks of a batch or a task, of a key, of an
   * author's name, and of a title.
   */
  remark: {
    batch: 100,
    perRun: 500,
    textChars: 16_000,
    hunkChars: 8_000,
    threadChars: 8_000,
    taskChars: 100_000,
    keyChars: 300,
    authorChars: 100,
    titleChars: 200,
  },
  /**
   * Milliseconds of a worker's looks at an editor's files: the longest pause between two, and the
   * pauses after a failed one.
   */
  workLook: { longestRestMs: 5_000, firstPauseMs: 1_000, longestPauseMs: 60_000 },
  /**
   * Milliseconds of Runs that the infrastructure has stopped: the pauses before their retries, and
   * the interval of the check for due retries.
   */
  retries: { firstPauseMs: 60_000, longestPauseMs: 3_600_000, lookMs: 5_000 },
  maxCoders: 3,
  /** Conversations kept in memory between their turns; others are read again. */
  lanesInMemory: 16,
  /** Machines whose parsed rows are cached. */
  machinesInMemory: 64,
  /** The budget of a Run; config `budget`. */
  budget: { runUsd: 20, storyUsd: 5, runTokens: 20_000_000, storyTokens: 15_000_000 },
  /** The fewest calls assumed for the rest of a story when a budget is too small. */
  restCalls: 12,
  /** Milliseconds between two checks of a lane that waits for the reservations of others. */
  budgetWaitMs: 250,
} as const
