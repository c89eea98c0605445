import type { Usage } from '../domain/lane/message.ts'
import type { ModelError } from './model.ts'

/**
 * The way of a foreign agent to its model: a server on a unix socket that speaks the providers' own
 * formats, adds the key outside of the sandbox and counts what is used.
 */
export interface ModelGateways {
  /** DrydockError `bad_model`, `no_key`. */
  open(wanted: GatewayWanted): Promise<ModelGateway>
}

export interface GatewayWanted {
  /** The Run of the agent: Runs get the places of a provider in turn. */
  readonly run: string
  /** A hosted provider, a local one, or an entry of `providers`. */
  readonly provider: string
  /** Folder of the host in which the socket is made; the two paths have 100 bytes at most. */
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
  /**
   * Before each call: takes what it can cost at most out of the budgets, or says why not. Waits for
   * what other calls leave of their reservations, until `signal` is aborted.
   */
  begin(call: CallBegun, signal: AbortSignal): Promise<Granted | Refused>
}

export interface CallBegun {
  /** As its provider calls it, from the request itself. */
  readonly model: string
  /** Estimated. */
  readonly inputTokens: number
  /** The most that the request allows for the answer; null where it names none. */
  readonly outputTokens: number | null
}

/** Ends with `end` or `withdraw`, once. */
export interface Granted {
  readonly ok: true
  /** Reserved for the answer. */
  readonly outputTokens: number
  /**
   * Asked for while an answer grows over what was reserved for it, in tokens in all. False when the
   * budget does not have it: the answer is cut.
   */
  extend(outputTokens: number): Promise<boolean>
  /** Stores the row of the call, and settles its reservation. */
  end(outcome: GatewayCall): Promise<void>
  /** Nothing was sent: there is no row. `why` is null where the caller gave up. */
  withdraw(why: ModelError | null): Promise<void>
}

export interface Refused {
  readonly ok: false
  /** `budget`: a cap is in the way, so that the lane is paused. `ended`: its turn is over. */
  readonly because: 'budget' | 'no_price' | 'ended'
  readonly message: string
}

export type GatewayCall = {
  /** Null when the answer did not say: then the reservation stays spent. */
  readonly usage: Usage | null
  readonly startedAt: Date
  readonly durationMs: number
} & (
  | { readonly stop: 'calls' | 'end' | 'length' | 'refused'; readonly failure: null }
  | {
      readonly stop: 'error'
      readonly failure: ModelError
      /** The agent was gone, or the gateway was closed: it says nothing about the provider. */
      readonly isAbandoned: boolean
    }
)
