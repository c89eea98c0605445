/** Of the work on stories: turns, rounds and tries of agents. */
export const workLimits = {
  /**
   * Model requests of an editor's lane before it is stopped; config `editor.planning_iterations`,
   * `editor.coding_iterations`.
   */
  planningIterations: 10,
  codingIterations: 40,
  /**
   * Replies of an editor's lane without progress until it is stopped; config
   * `editor.turns_without_progress`. How many until the workspace is looked at for the first time,
   * and how many marks of progress a lane remembers.
   */
  turnsWithoutProgress: 20,
  stall: { lookAfter: 3, marks: 200 },
  /**
   * Model requests of the architect's and of a scout's lane: warned from soft on, only the terminal
   * tool from soft + grace, none sent at hard. Config `architect.*_limit`.
   */
  architectSoft: 8,
  architectHard: 16,
  scoutSoft: 8,
  scoutHard: 16,
  softGrace: 4,
  /** Tries of one scout query before INFRA_ERROR (seed: coding-agent-workflow, invariant 9). */
  scoutTries: 3,
  /** Characters of what a scout said last that its editor is told when there is no report. */
  scoutWordsChars: 8_000,
  /** Rounds of one review on one story before a human is asked; config `editor.review_rounds`. */
  reviewRounds: 4,
  /** Returns of one story from MERGING before a human is asked. */
  mergeReturns: 3,
  /** Sets of stories that may be refused before a human is asked. */
  storyTries: 3,
  /**
   * Bytes of a spec, and of the text of a task; stories of one, and characters of each of their
   * texts.
   */
  specBytes: 1_048_576,
  stories: 200,
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
  /**
   * A story is remarkable against the others of its Run from so many stories on that have begun,
   * and from so many times their median on.
   */
  peers: { stories: 3, times: 2 },
  maxCoders: 3,
  /** What a Run may spend; config `budget`. */
  budget: { runUsd: 20, storyUsd: 5, runTokens: 20_000_000 },
  /** Milliseconds that a lane waits for what others have reserved, until it looks again. */
  budgetWaitMs: 250,
} as const
