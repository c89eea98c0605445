/** Limits of models and their providers: waits, tries, tokens and texts. */
export const modelsLimits = {
  /**
   * Temporary failures of model calls in a row before the lane fails, while their provider answers
   * others; and the pauses between them.
   */
  modelTries: 12,
  /**
   * Replies in a row that break off, never end or are not replies before a human is asked: each may
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
  /** Seconds of a call to a server on this machine, which first loads the model and may be slow. */
  localFirstByteSec: 900,
  localIdleSec: 300,
  localTotalSec: 3_600,
  /**
   * Calls that may fail to reach a provider that has not answered yet in the Run, and the
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
   * Milliseconds of a wait for a provider: nothing is printed up to `quietWaitMs`, and no wait is
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
   * Most models of one role. Seconds after which an unresponsive model is replaced by the next;
   * config `model_fallback.after_sec`. Seconds until it is tried again. Outages that a Run
   * remembers.
   */
  fallback: { models: 8, afterSec: 600, retrySec: 1_800, outages: 20 },
  /**
   * Limits of the gateway of a foreign agent: calls and connections at once; bytes of a request, of
   * its headers and of an answer; milliseconds until the headers of a request and all of it have
   * arrived, and for which an idle connection is kept; tokens reserved at a time while an answer
   * grows, and for an answer without a cap if the budget has them.
   */
  gateway: {
    calls: 16,
    connections: 64,
    requestBytes: 16_777_216,
    headerBytes: 32_768,
    answerBytes: 33_554_432,
    headersMs: 20_000,
    requestMs: 120_000,
    idleMs: 120_000,
    extendTokens: 4_096,
    uncappedTokens: 131_072,
  },
  /** Bytes counted as one token where no tokenizer has counted. */
  bytesPerToken: 3,
  /**
   * The trial of a model before its first use: tokens of its reply, hours that the result is kept,
   * models that are remembered, and milliseconds for its server to report the context window.
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
  /** The highest token count of one call that Drydock accepts from a provider. */
  mostUsageTokens: 20_000_000,
  /** Tokens of one reply. */
  replyTokens: 16_384,
  /**
   * The most context tokens that Drydock requests from Ollama by default. More may need memory that
   * the machine lacks. Config `providers.<name>.num_ctx`.
   */
  ollamaContext: 32_768,
  /**
   * Limits of a lane's conversation. Shares of the model's window: the size that triggers a cut,
   * the size after it, the room for a reply and for a summary. A cut keeps the last `keepTurns`
   * turns and shortens results from `shortenFrom` characters on. `unknownTokens`: the window
   * assumed for a model without a known one; config `context`.
   */
  context: {
    cutAt: 0.75,
    cutTo: 0.5,
    replyShare: 0.25,
    summaryShare: 0.125,
    keepTurns: 4,
    shortenFrom: 400,
    summaryChars: 16_000,
    keptCallChars: 16_000,
    unknownTokens: 128_000,
  },
} as const
