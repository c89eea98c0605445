/** Limits of foreign agents and MCP servers. */
export const agentsLimits = {
  agents: {
    /**
     * Seconds of silence before the first answer, and before there is a session; seconds for all of
     * the start.
     */
    startSec: 120,
    sessionSec: 120,
    openSec: 600,
    /** Seconds of silence in a turn; a command of the agent may take long. */
    idleSec: 1_800,
    /** Seconds for an agent to end a cancelled turn, and to exit, before it is killed. */
    cancelSec: 10,
    closeSec: 1,
    /** Output of an agent in one turn: bytes, messages, bytes of one message, updates to keep. */
    turnBytes: 134_217_728,
    turnMessages: 200_000,
    lineBytes: 16_777_216,
    turnUpdates: 10_000,
    /** Lines of one turn that are not messages: some libraries print to standard output. */
    strayLines: 100,
    /**
     * Characters of one text, of a title or plan entry, and of a quote in a failure; entries of a
     * plan, paths of a call, and calls of a turn whose state is remembered.
     */
    textChars: 20_000,
    titleChars: 300,
    quoteChars: 1_000,
    entries: 50,
    paths: 20,
    calls: 500,
  },
  mcp: {
    /** Tools of one server, and characters of a name, of a description and of a schema. */
    tools: 64,
    nameChars: 180,
    descriptionChars: 2_000,
    schemaChars: 8_000,
    schemaDepth: 16,
    schemaParts: 1_000,
    /** Characters of a server's descriptions of its tools, and of the part that models get. */
    definitionChars: 1_000_000,
    offerChars: 40_000,
    /** Seconds for a server to list its tools, and for one call; config `timeout_sec`. */
    startSec: 60,
    callSec: 60,
    /**
     * Output of a server for one call: bytes, characters of an answer that are read, and lines that
     * are not messages.
     */
    callBytes: 8_388_608,
    answerChars: 1_000_000,
    strayLines: 100,
    /** Failures of a server in one lane before it is no longer started. */
    failures: 4,
    /**
     * Seconds for a server to exit before it is killed, and characters of its output in a failure.
     */
    closeSec: 1,
    quoteChars: 1_000,
  },
} as const
