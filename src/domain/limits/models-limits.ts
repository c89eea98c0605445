/** Limits of models and their providers: waits, tries, tokens and texts. */
export const modelsLimits = {
  /**
   * Model calls in a row that may fail for a temporary reason, while their provider answers others,
   * before the lane fails; and the pauses between them.
   */
  modelTries: 12,
  /**
   * Replies in a row that break off, never end or are no replies, before a human is asked: each may
   * cost money.
   */
  brokenReplies: 3,
  modelPauses: { firstPauseMs: 1_000, longestPauseMs: 300_000 },
  /**
   * Seconds of a model call: until the first byte of the answer, between two parts of it, and in
   * total. Config `model_timeouts`.
   */
  modelFirstByteSec: 120,
  modelIdleSec: 120,
  modelTotalSec: 900,
  /** The same for a server on this machine, which first loads the model and may be slow. */
  localFirstByteSec: 900,
  localIdleSec: 300,
  localTotalSec: 3_600,
  /**
   * Calls that may fail to reach a provider which has not answered yet in the Run, and the
   * milliseconds between two of them.
   */
  firstTries: 3,
  firstTryPauseMs: 1_500,
  /**
   * Seconds that a lane waits for a provider that has answered before; `maxWaitCiSec` if `CI` is
   * set. Flag `--max-wait`, config `max_wait`.
   */
  maxWaitSec: 86_400,
  maxWaitCiSec: 600,
  /**
   * Milliseconds of a wait for a provider: up to `quietWaitMs` nothing is printed, and no wait is
   * longer than `longestModelWaitMs`.
   */
  quietWaitMs: 10_000,
  longestModelWaitMs: 86_400_000,
  /**
   * Limits of one provider: requests at once; failures in a row after which only single requests
   * probe it; the first and the longest pause between two probes.
   */
  provider: { calls: 64, failures: 3, firstPauseMs: 1_000, longestPauseMs: 300_000 },
  /**
   * Models of one role at most. Seconds after which a model that does not answer is replaced by the
   * next; config `model_fallback.after_sec`. Seconds until one that was out is tried again. Outages
   * that a Run remembers.
   */
  fallback: { models: 8, afterSec: 600, retrySec: 1_800, outages: 20 },
  /**
   * Limits of the gateway of a foreign agent: calls and connections at once; bytes of a request, of
   * its headers and of an answer; milliseconds until the headers of a request and all of it are
   * there, and that a connection is kept without one; tokens that an answer gets at once when it
   * grows, and that one without a cap gets where the budget has them.
   */
  gateway: {
    ...{ calls: 16, connections: 64, requestBytes: 16_777_216, headerBytes: 32_768, answerBytes: 33_554_432 },
    ...{ headersMs: 20_000, requestMs: 120_000, idleMs: 120_000, extendTokens: 4_096 },
    uncappedTokens: 131_072,
  },
  /** Bytes that count as a token where nobody has counted tokens. */
  bytesPerToken: 3,
  /**
   * The trial of a model before its first use: tokens of its reply, hours that the result is kept,
   * models that are remembered, and milliseconds that its server has to tell the context window.
   */
  trial: { replyTokens: 2_048, keptHours: 24, models: 200, windowMs: 5_000 },
  /** Milliseconds that `doctor` waits for a provider. */
  providerProbeMs: 5_000,
  /** Characters from a model: of one text, of a tool's name, and of a call's arguments. */
  modelTextChars: 65_536,
  toolNameChars: 256,
  modelInputChars: 2_097_152,
  /** Bytes of a provider's list of models. */
  modelListBytes: 16_777_216,
  /** The most tokens of one call that Drydock believes a provider. */
  mostUsageTokens: 20_000_000,
  /** Tokens of one reply. */
  replyTokens: 16_384,
  /**
   * The most context tokens that Drydock requests from Ollama by default. More may need memory that
   * the machine lacks. Config `providers.<name>.num_ctx`.
   */
  ollamaContext: 32_768,
  /**
   * Limits of a lane's conversation. As shares of the model's window: where a cut happens, how much
   * it leaves, the room for a reply and for a summary. A cut keeps the last `keepTurns` turns and
   * shortens results from `shortenFrom` characters on. `unknownTokens`: the window of a model that
   * has no known one; config `context`.
   */
  context: {
    ...{ cutAt: 0.75, cutTo: 0.5, replyShare: 0.25, summaryShare: 0.125 },
    ...{ keepTurns: 4, shortenFrom: 400, summaryChars: 16_000, keptCallChars: 16_000 },
    unknownTokens: 128_000,
  },
} as const
