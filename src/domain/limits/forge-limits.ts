/** Limits of messages to and from forges. */
export const forgeLimits = {
  /** Milliseconds of one request, and of one call with its retries and waits. */
  requestMs: 30_000,
  callMs: 180_000,
  /** Milliseconds before each retry of a failed request. */
  retryMs: [500, 2_000, 6_000],
  /** The longest wait for a rate limit, in milliseconds. A longer one is an error. */
  waitMs: 60_000,
  /** The label of issues that become work, and the seconds between two polls; config keys. */
  label: 'drydock',
  intervalSec: 60,
  /**
   * Milliseconds between polls while the forge refuses the token, and from a commit to the poll
   * that follows it.
   */
  slowMs: 900_000,
  settleMs: 500,
  /** Failures of the forge in a row after which a poll is abandoned. */
  failures: 3,
  /**
   * Rounds of work on red checks of one change, red checks of one round, and the excerpt of each
   * log in lines and characters.
   */
  checkRounds: 3,
  redChecks: 5,
  checkLines: 120,
  checkChars: 12_000,
  /** Most accounts without write access that are remembered. */
  strangers: 10_000,
  /** Milliseconds that `drydock doctor` waits for a forge. */
  doctorMs: 10_000,
  /**
   * Limits of the server for webhooks: milliseconds and bytes of a request, and connections without
   * a complete one. Late connections are looked for every `lookMs`.
   */
  webhookMs: 10_000,
  webhookBytes: 26_214_400,
  webhookConnections: 200,
  lookMs: 1_000,
  /** The longest pause that a forge can ask for, in milliseconds. */
  longestWaitMs: 86_400_000,
  /** Redirects that are followed, all within one server. */
  redirects: 3,
  /** Bytes of one answer. */
  answerBytes: 16_777_216,
  /** Answers cached for conditional requests, and the bytes of the largest. */
  keptAnswers: 200,
  keptBytes: 262_144,
  /** Bytes read from the end of a log. */
  logBytes: 262_144,
  /** Pages of one list, and the entries of a page. */
  pages: 20,
  pageSize: 50,
  /** Characters of a text written by somebody else. */
  textChars: 65_536,
  /** Characters of the description of a change. GitHub accepts 65,536. */
  changeChars: 60_000,
  /**
   * Characters in the description for the request, for one story's summary, for all summaries
   * together, and for a finding.
   */
  whyChars: 12_000,
  whatChars: 4_000,
  whatAllChars: 24_000,
  claimChars: 400,
  titleChars: 200,
  /** Stories and questions in the comment about a run. */
  toldStories: 50,
  toldQuestions: 5,
  /** Characters of a status. GitHub accepts 140. */
  statusChars: 140,
  /** Characters of an error that a forge sends. */
  messageChars: 500,
  /** Retries of a push of notes when somebody else pushed notes at the same time. */
  pushTries: 5,
  /** Milliseconds of one git command that talks to a remote. */
  pushMs: 600_000,
} as const
