/** Of models and their providers: waits, tries, tokens and texts. */
export const modelsLimits = {
  /**
   * Model calls in a row that may fail, for a reason that can pass and while their provider answers
   * others, before the lane fails; and milliseconds between two of them at most.
   */
  modelTries: 12,
  modelBackoffMs: 300_000,
  /**
   * Seconds of a model call until the first byte of the answer, between two pieces of it, and in
   * all. Config `model_timeouts`.
   */
  modelFirstByteSec: 120,
  modelIdleSec: 120,
  modelTotalSec: 900,
  /** The same for a server on this machine, which loads the model first and may be slow. */
  localFirstByteSec: 900,
  localIdleSec: 300,
  localTotalSec: 3_600,
  /**
   * Calls that may find nobody at a provider that has answered nothing yet in the Run, and
   * milliseconds between two of them.
   */
  firstTries: 3,
  firstTryPauseMs: 1_500,
  /**
   * Seconds that a lane waits for a provider that has answered before; the second where `CI` is
   * set. `--max-wait`, config `max_wait`.
   */
  maxWaitSec: 86_400,
  maxWaitCiSec: 600,
  /**
   * Milliseconds of a wait for a provider that people need not hear of; and of the longest,
   * whatever it asks for.
   */
  quietWaitMs: 10_000,
  longestModelWaitMs: 86_400_000,
  /**
   * Of one provider: requests at once; failures in a row after which it is asked by one request
   * alone, at times that begin and end so far apart.
   */
  provider: { calls: 64, failures: 3, firstPauseMs: 1_000, longestPauseMs: 300_000 },
  /** A provider that `doctor` asks is waited for so long. */
  providerProbeMs: 5_000,
  /** Characters of one text, or of one call's name or arguments, that are taken from a model. */
  modelTextChars: 65_536,
  toolNameChars: 128,
  modelInputChars: 2_097_152,
  /** Bytes of what a provider says of its models. */
  modelListBytes: 16_777_216,
  /** Most tokens that a provider is believed to have read and written in one call. */
  mostUsageTokens: 20_000_000,
  /** Tokens that one reply may have. */
  replyTokens: 16_384,
  /**
   * Tokens of context that Ollama is asked for when the user names no number: more takes memory
   * that a machine may not have. Config `providers.<name>.num_ctx`.
   */
  ollamaContext: 32_768,
  /**
   * Of a lane's conversation, in shares of the model's window: where it is cut, what is left then,
   * and what a reply may take, and a summary. Turns that a cut leaves alone; characters from which
   * on a result is shortened; of a summary, and of a call that is kept with its answer. Tokens of a
   * window that nobody knows; config `context`.
   */
  context: {
    ...{ cutAt: 0.75, cutTo: 0.5, replyShare: 0.25, summaryShare: 0.125 },
    ...{ keepTurns: 4, shortenFrom: 400, summaryChars: 16_000, keptCallChars: 16_000 },
    unknownTokens: 128_000,
  },
} as const
