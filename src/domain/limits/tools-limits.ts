/** Limits of tools and prompts. */
export const toolsLimits = {
  /** Seconds; config `architect.tool_timeout_sec` for the read and edit tools. */
  toolTimeoutSec: 30,
  commandTimeoutSec: 120,
  commandTimeoutMostSec: 600,
  /**
   * Characters of a command's output that a model sees; bytes kept of a longer one for later
   * reading; and the number of kept outputs per lane.
   */
  commandShownChars: 20_000,
  commandKeptBytes: 4_194_304,
  commandOutputs: 20,
  /**
   * Commands that run in the background at once, and seconds that `check_command` waits for one.
   */
  backgroundCommands: 4,
  commandWaitSec: 300,
  /** Bytes of a file that a tool reads or writes. */
  fileBytes: 1_048_576,
  /** Files and hunks of one patch. */
  patchFiles: 100,
  patchHunks: 200,
  listResults: 1_000,
  searchResults: 200,
  /** Characters of one tool result that a model sees. */
  toolResultChars: 48_000,
  /** Characters of a tool result that are reserved for the tool's own words around a cut output. */
  toolResultFrame: 500,
  /** Items of a lane's todo list, and characters of one. */
  todos: 50,
  todoChars: 200,
  /** Characters of a tool's schema in the answer to a bad input. */
  schemaChars: 4_000,
  /** Characters of one chat message. */
  chatChars: 4_096,
  /** Characters of a cut chat message that are reserved for the notice of the cut. */
  cutNotice: 100,
  /**
   * Limits of a repository's instructions for agents. Bytes of one text, of all texts in a first
   * message, and of all later ones in one conversation. The depth of imports, and the most imports,
   * rules and skills. Bytes in which a skill's front matter must end, and characters of its name,
   * of its description, of all descriptions and of a path. `named`: known guides below the root;
   * `told`: files that a report lists.
   */
  guide: {
    bytes: 32_768,
    firstBytes: 65_536,
    laterBytes: 65_536,
    importDepth: 3,
    imports: 30,
    rules: 100,
    skills: 50,
    globs: 50,
    named: 2_000,
    told: 200,
    frontBytes: 16_384,
    nameChars: 64,
    descriptionChars: 1_024,
    catalogueChars: 12_000,
    pathChars: 1_024,
  },
  /**
   * Bytes of `.drydock/roles/<role>.md` in a role's prompts, and characters of the user's own
   * instructions for a role.
   */
  roleGuideBytes: 16_384,
  /** Bytes of the diff in a first message. */
  promptDiffBytes: 12_000,
  /** Characters of a change's summary, or of git's words about a merge, in a prompt. */
  promptSummaryChars: 24_000,
} as const
