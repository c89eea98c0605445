import type { Usage } from '../domain/lane/message.ts'

/**
 * The way of a foreign agent to its model: a server on a unix socket that speaks the providers' own
 * formats, adds the key outside of the sandbox and counts what is used.
 */
export interface ModelGateways {
  /** DrydockError `bad_model`, `no_key`. */
  open(wanted: GatewayWanted): Promise<ModelGateway>
}

export interface GatewayWanted {
  /** A hosted provider, or an entry of `providers`. */
  readonly provider: string
  /** Folder of the host in which the socket is made. */
  readonly folder: string
  readonly account: CallAccount
}

export interface ModelGateway {
  readonly socket: string
  /** Ends what is under way and removes the socket. Every call is settled afterwards. */
  close(): Promise<void>
}

/** Where the calls of one lane are paid. */
export interface CallAccount {
  /** Before each call: takes what it can cost at most out of the budgets, or says why not. */
  begin(call: CallBegun): Promise<Granted | Refused>
}

export interface CallBegun {
  /** As its provider calls it, from the request itself. */
  readonly model: string
  /** Estimated. */
  readonly inputTokens: number
  /** The most that the request allows for the answer; null where it names none. */
  readonly outputTokens: number | null
}

export interface Granted {
  readonly ok: true
  /**
   * Asked for while an answer grows over what was reserved for it, in tokens in all. False when the
   * budget does not have it: the answer is cut.
   */
  extend(outputTokens: number): Promise<boolean>
  /** Called once. Stores the row of the call, and settles its reservation. */
  end(outcome: GatewayCall): Promise<void>
}

export interface Refused {
  readonly ok: false
  /** `budget`: a cap is in the way, so that the lane is paused. `ended`: its turn is over. */
  readonly because: 'budget' | 'no_price' | 'ended'
  readonly message: string
}

export interface GatewayCall {
  /** As in a ModelReply; `error` with the kind and text of the failure. */
  readonly stop: 'calls' | 'end' | 'length' | 'refused' | 'error'
  readonly error: string | null
  /** Null when the answer did not say: then the reservation stays spent. */
  readonly usage: Usage | null
  /** It was refused before any of it was answered. */
  readonly isFree: boolean
  readonly startedAt: Date
  readonly durationMs: number
}
