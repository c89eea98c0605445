import type { Json, JsonObject } from '../../../../domain/json.ts'
import type { ReportedUsage } from '../../../../domain/lane/trusted-usage.ts'

/** A provider's own format, as far as the gateway has to understand what passes through it. */
export interface Format {
  /**
   * The names in a request that reach the provider. What another name would make it do nobody
   * knows, and some servers read a name whatever its case.
   */
  readonly names: ReadonlySet<string>
  /** What a request for an answer asks for; its path is read elsewhere. */
  asked(body: JsonObject): Asked
  /** Reads one answer. */
  read(): AnswerReader
  /** An error as the provider itself would say it. */
  error(trouble: Trouble): Refusal
}

export interface Asked {
  /** Null where the body does not say. */
  readonly model: string | null
  /** The most tokens of the answer; null where it names none. */
  readonly outputTokens: number | null
  readonly isStreaming: boolean
  /** It goes on from what the provider has kept, and is larger than it looks. */
  readonly refersBack: boolean
  /** For what the provider would do besides answering; in words for people, null for nothing. */
  readonly beyond: string | null
}

export interface AnswerReader {
  /** An event of a stream, or the whole answer. */
  take(part: JsonObject): void
  /** Bytes of what the model has said so far. */
  said(): number
  told(): Told
}

/** What an answer has told of itself so far. */
export interface Told {
  /** Null before it has come to its end. */
  readonly stop: 'calls' | 'end' | 'length' | 'refused' | null
  readonly usage: ReportedUsage | null
}

/**
 * Why the gateway itself answers. `stop`: no call can be made any more. `unavailable`: the provider
 * answers nobody for now. `crowded`: too many calls at once.
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
