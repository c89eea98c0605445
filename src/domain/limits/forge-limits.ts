/** Limits of what is said to forges, and of what they say. */
export const forgeLimits = {
  /** Milliseconds of one request, and of one call with its repetitions and waits. */
  requestMs: 30_000,
  callMs: 180_000,
  /** Milliseconds until a request that failed is sent again, each time. */
  retryMs: [500, 2_000, 6_000],
  /** The longest wait for a rate limit, in milliseconds. A longer one is an error. */
  waitMs: 60_000,
  /** The label of issues that are work, and the seconds between two polls; config keys. */
  label: 'drydock',
  intervalSec: 60,
  /**
   * Milliseconds between polls while the forge refuses the token, and from a commit to the poll
   * that it leads to.
   */
  slowMs: 900_000,
  settleMs: 500,
  /** Failures of the forge in a row after which a poll is given up. */
  failures: 3,
  /**
   * Rounds of work on red checks of one change, red checks of one round, and what is told of the
   * log of each: lines, and characters.
   */
  checkRounds: 3,
  redChecks: 5,
  checkLines: 120,
  checkChars: 12_000,
  /** Accounts that are remembered because they may not write. */
  strangers: 10_000,
  /** Milliseconds that `drydock doctor` waits for a forge. */
  doctorMs: 10_000,
  /**
   * The server for webhooks allows these milliseconds and bytes for a request, and so many
   * connections without a whole one. It looks for late ones after each `lookMs`.
   */
  webhookMs: 10_000,
  webhookBytes: 26_214_400,
  webhookConnections: 200,
  lookMs: 1_000,
  /** The longest time that a forge is believed to want to be left alone, in milliseconds. */
  longestWaitMs: 86_400_000,
  /** Redirects that are followed, all within one server. */
  redirects: 3,
  /** Bytes of one answer. */
  answerBytes: 16_777_216,
  /** Answers that are kept to ask only whether they have changed, and the bytes of the largest. */
  keptAnswers: 200,
  keptBytes: 262_144,
  /** Bytes of the end of a log. */
  logBytes: 262_144,
  /** Pages of one list, and the entries of a page. */
  pages: 20,
  pageSize: 50,
  /** Characters of a text of somebody else. */
  textChars: 65_536,
  /** Characters of the text of a change. GitHub takes 65,536. */
  changeChars: 60_000,
  /**
   * Characters in that text of what was asked, of what one story does, of what all do together, and
   * of a finding.
   */
  whyChars: 12_000,
  whatChars: 4_000,
  whatAllChars: 24_000,
  claimChars: 400,
  titleChars: 200,
  /** Stories and questions in the comment about a run. */
  toldStories: 50,
  toldQuestions: 5,
  /** Characters of a status. GitHub takes 140. */
  statusChars: 140,
  /** Characters of an error that a forge sends. */
  messageChars: 500,
  /** How often notes are pushed again because somebody else pushed notes at the same time. */
  pushTries: 5,
  /** Milliseconds of one git command that talks to a remote. */
  pushMs: 600_000,
} as const
