/** Limits of agents and MCP servers of others. */
export const agentsLimits = {
  agents: {
    /**
     * Seconds without a word before its first answer, and before it has a session; seconds for all
     * of that.
     */
    startSec: 120,
    sessionSec: 120,
    openSec: 600,
    /** Seconds of a turn without a word; a command of the agent may take long. */
    idleSec: 1_800,
    /** Seconds to end a turn that was cancelled, and to end itself, before it is killed. */
    cancelSec: 10,
    closeSec: 1,
    /** What it may write in one turn: bytes, messages, bytes of one message, updates to keep. */
    turnBytes: 134_217_728,
    turnMessages: 200_000,
    lineBytes: 16_777_216,
    turnUpdates: 10_000,
    /** Lines of one turn that are no messages: some libraries print to the standard output. */
    strayLines: 100,
    /**
     * Characters of one text, of a title or an entry of a plan, and of what a failure quotes;
     * entries of a plan, paths of a call, and calls of a turn whose state is remembered.
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
    /**
     * Characters of all that a server says of its tools, and of what models get of it.
     */
    definitionChars: 1_000_000,
    offerChars: 40_000,
    /** Seconds until a server has told its tools, and for one call; config `timeout_sec`. */
    startSec: 60,
    callSec: 60,
    /**
     * What it may write for one call: bytes, characters of an answer that are looked at, and lines
     * that are no messages.
     */
    callBytes: 8_388_608,
    answerChars: 1_000_000,
    strayLines: 100,
    /** How often it may fail in one lane until it is not started again. */
    failures: 4,
    /** Seconds to end itself before it is killed, and characters of its words in a failure. */
    closeSec: 1,
    quoteChars: 1_000,
  },
} as const
