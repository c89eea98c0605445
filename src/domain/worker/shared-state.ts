import type { Identity } from '../identity.ts'
import type { NoticeType } from '../notification/notice.ts'
import type { SlotCaps } from '../share/slot-caps.ts'

/**
 * The protocol's version; raise it with each change of the messages between workers and hubs
 * (`SharedState`), or of the rows that they exchange: tables, data of machines, or results that a
 * step leaves for the next. A hub and its workers may have different versions as long as this is
 * the same.
 */
export const workerProtocol = 8

/** The place of a state's rows on the server, which a worker needs to find them. */
export interface StateAddress {
  readonly id: string
  readonly schema: string
}

/** A hub's message to its workers: everything that is equal for the whole state, on any host. */
export interface SharedState {
  readonly protocol: number
  /** Version of the hub's Drydock. */
  readonly version: string
  /** Name of the requesting token. */
  readonly token: string
  readonly state: StateAddress
  /** Name for people. */
  readonly repository: string
  /** The path of the control repository. */
  readonly git: string
  readonly commits: { readonly author: Identity | null; readonly trailers: readonly string[] }
  /** Bounds in addition to the fair shares of the slots. */
  readonly slots: SlotCaps
  readonly notifying: { readonly notifiers: readonly ('webhook' | 'command')[]; readonly on: readonly NoticeType[] }
}
