import type { Role } from '../../domain/hub/role.ts'
import type { Connecting, OwnerConnection } from '../owner.ts'
import type { PushTarget } from '../remotes.ts'

/** The hub's description of itself, a token, and its repository. */
export interface HubFacts {
  readonly version: string
  readonly protocol: number
  /** Name of the token. */
  readonly name: string
  readonly role: Role
  /** The name of the repository's folder. */
  readonly repository: string
  /** The default start commit of runs; null without one. */
  readonly head: string | null
  /** True if the hub has the requested commit. */
  readonly known: boolean
  readonly roots: readonly string[]
  /** The public key (PEM) that signs its receipts; null before the first. */
  readonly receipt_key: string | null
}

/** A request to the API of a hub. */
export interface HubRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The body as JSON. */
  readonly body?: string
  /** Idempotency key of a request that changes something. */
  readonly key?: string
}

export type ConnectHub = (to: { readonly url: string; readonly token: string }) => HubClient

/** A follower's needs of the connection. */
export interface HubFollower {
  /** Called when the hub becomes unreachable, and when it is back. */
  readonly note: (text: string) => void
  /** Ends all retries. */
  readonly stop: AbortSignal
}

/**
 * A hub, as a client with a token reaches it. After the first answer, requests that cannot be sent
 * are retried: for `limits.client.patienceMs`, or for as long as somebody follows. A request that
 * changes something has an idempotency key. All methods reject with DrydockError: the hub's own, or
 * `hub_unreachable`, `not_signed_in`.
 */
export interface HubClient {
  /** The hub's origin. */
  readonly url: string
  /** `commit` is the client's intended start commit. */
  facts(commit: string | null): Promise<HubFacts>
  /** Returns the answer as JSON. */
  ask(request: HubRequest): Promise<unknown>
  /** Follows the owner's events; null while no process works on the state. */
  connect(on: Connecting): Promise<OwnerConnection | null>
  /** The content of a file of a verification. Rejects if the transfer breaks off. */
  file(runId: string, path: string): Promise<AsyncIterable<Uint8Array>>
  /** The git address of the hub's commits. */
  repository(): PushTarget
  /** Registers a follower until the returned function is called. */
  followedBy(follower: HubFollower): () => void
}
