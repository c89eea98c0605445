/** Of tools, and of what prompts hold. */
export const toolsLimits = {
  /** Seconds; config `architect.tool_timeout_sec` for the read and edit tools. */
  toolTimeoutSec: 30,
  commandTimeoutSec: 120,
  commandTimeoutMostSec: 600,
  /** Bytes of a file that a tool reads or writes. */
  fileBytes: 1_048_576,
  listResults: 1_000,
  searchResults: 200,
  /** Characters of one tool result that a model sees. */
  toolResultChars: 48_000,
  /** Of these, what a tool keeps free for its own words around an output that it has cut itself. */
  toolResultFrame: 500,
  /** Characters of a tool's schema that a call with a bad input is answered with. */
  schemaChars: 4_000,
  /** Characters of one chat message. */
  chatChars: 4_096,
  /** Of these, what a text that is cut keeps free for the line that says so. */
  cutNotice: 100,
  /** Bytes of the repository's AGENTS.md or CLAUDE.md that go into a prompt. */
  guideBytes: 16_384,
  /**
   * Bytes of `.drydock/roles/<role>.md` that go into a role's prompts, and characters of the user's
   * own instructions for a role.
   */
  roleGuideBytes: 16_384,
  /** Bytes of a diff that a prompt starts with. */
  promptDiffBytes: 12_000,
  /** Characters of what is said of a change, and of what git says of a merge, in a prompt. */
  promptSummaryChars: 24_000,
} as const
