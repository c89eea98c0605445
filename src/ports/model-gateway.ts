import type { Usage } from '../domain/lane/message.ts'
import type { ModelError } from './model.ts'

/**
 * A foreign agent's connection to its model: a server on a unix socket that speaks the providers'
 * own formats, adds the key outside of the sandbox and counts usage.
 */
export interface ModelGateways {
  /** Throws DrydockError `bad_model`, `no_key`. */
  open(wanted: GatewayNeed): Promise<ModelGateway>
}

export interface GatewayNeed {
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
  /** Ends calls in progress and removes the socket. Every call is settled afterwards. */
  close(): Promise<void>
}

/** The budget that pays for the calls of one lane. */
export interface CallAccount {
  /**
   * Called before each call: reserves its highest possible cost, or returns the reason why not.
   * Waits for other calls to release parts of their reservations, until `signal` is aborted.
   */
  begin(call: CallBegun, signal: AbortSignal): Promise<GrantedCall | RefusedCall>
}

export interface CallBegun {
  /** The provider's name of the model, from the request itself. */
  readonly model: string
  /** The estimated number of input tokens. */
  readonly inputTokens: number
  /** The most output that the request allows; null if it sets no limit. */
  readonly outputTokens: number | null
}

/** Must be ended once, by `end` or `withdraw`. */
export interface GrantedCall {
  readonly ok: true
  /** Tokens reserved for the answer. */
  readonly outputTokens: number
  /**
   * Called when an answer outgrows its reservation, with the total in tokens. False if the budget
   * is too small: then the answer is cut.
   */
  extend(outputTokens: number): Promise<boolean>
  /** Stores the row of the call, and settles its reservation. */
  end(outcome: GatewayCall): Promise<void>
  /** Ends a call that was not sent, without a row. `why` is null if the caller gave up. */
  withdraw(why: ModelError | null): Promise<void>
}

export interface RefusedCall {
  readonly ok: false
  /** `budget`: a cap blocks the call, so the lane is paused. `ended`: its turn is over. */
  readonly because: 'budget' | 'no_price' | 'ended'
  readonly message: string
}

export type GatewayCall = {
  /** Null if the answer had none: then the reservation stays spent. */
  readonly usage: Usage | null
  readonly startedAt: Date
  readonly durationMs: number
} & (
  | { readonly stop: 'calls' | 'end' | 'length' | 'refused'; readonly failure: null }
  | {
      readonly stop: 'error'
      readonly failure: ModelError
      /**
       * True if the agent was gone, or the gateway was closed, so the failure says nothing about
       * the provider.
       */
      readonly isAbandoned: boolean
    }
)
