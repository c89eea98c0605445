import type { Identity } from '../identity.ts'
import type { NoticeType } from '../notification/notice.ts'
import type { SlotCaps } from '../share/slot-caps.ts'

/**
 * Raised with each change of what workers and hubs say to each other (`SharedState`), or of the
 * rows that they exchange: tables, data of machines, or what a step leaves for the next. A hub and
 * its workers may be of different versions as long as this is the same.
 */
export const workerProtocol = 7

/** Where the rows of a state are on the server, which a worker must know to find them. */
export interface StateAddress {
  readonly id: string
  readonly schema: string
}

/** What a hub tells its workers: what is the same for the whole state, wherever a step is taken. */
export interface SharedState {
  readonly protocol: number
  /** Of the hub's Drydock. */
  readonly version: string
  /** Name of the token that asks. */
  readonly token: string
  readonly state: StateAddress
  /** For people. */
  readonly repository: string
  /** The path of the control repository. */
  readonly git: string
  readonly commits: { readonly author: Identity | null; readonly trailers: readonly string[] }
  /** Bounds beside the fair shares of the slots. */
  readonly slots: SlotCaps
  readonly notifying: { readonly notifiers: readonly ('webhook' | 'command')[]; readonly on: readonly NoticeType[] }
}
