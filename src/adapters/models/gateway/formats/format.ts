import type { Json, JsonObject } from '../../../../domain/json.ts'
import type { ReportedUsage } from '../../../../domain/lane/trusted-usage.ts'

/** A provider's own format, as far as the gateway must understand it. */
export interface Format {
  /**
   * The names of a request that are passed to the provider. All others are dropped, since their
   * effect is unknown, and some servers ignore the case of names.
   */
  readonly names: ReadonlySet<string>
  /** Reads a request for an answer; its path is parsed elsewhere. */
  asked(body: JsonObject): RequestFacts
  /** Creates a reader for one answer. */
  read(): AnswerReader
  /** An error in the provider's own format. */
  error(trouble: Trouble): Refusal
}

export interface RequestFacts {
  /** Null if the body names none. */
  readonly model: string | null
  /** The most tokens of the answer; null if the request sets no limit. */
  readonly outputTokens: number | null
  readonly isStreaming: boolean
  /**
   * True if the request continues a conversation that the provider has stored, so it is larger than
   * it looks.
   */
  readonly refersBack: boolean
  /**
   * Anything beyond an answer that the provider would do, in words for people; null if there is
   * nothing.
   */
  readonly beyond: string | null
}

export interface AnswerReader {
  /** An event of a stream, or the whole answer. */
  take(part: JsonObject): void
  /** Bytes of the model's text so far. */
  said(): number
  told(): ReplyFacts
}

/** The facts that an answer has reported so far. */
export interface ReplyFacts {
  /** Null until the answer ends. */
  readonly stop: 'calls' | 'end' | 'length' | 'refused' | null
  readonly usage: ReportedUsage | null
}

/**
 * The reason why the gateway itself answers. `stop`: no further call is allowed. `unavailable`: the
 * provider does not answer at present. `crowded`: there are too many calls at the same time.
 */
export interface Trouble {
  readonly kind:
    | 'stop'
    | 'unavailable'
    | 'crowded'
    | 'not_found'
    | 'bad_request'
    | 'too_large'
    | 'bad_gateway'
    | 'timeout'
  readonly message: string
}

export interface Refusal {
  readonly status: number
  readonly body: Json
}
