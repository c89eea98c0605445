import type { Role } from '../../domain/hub/role.ts'
import type { Connecting, OwnerConnection } from '../owner.ts'
import type { PushTarget } from '../remotes.ts'
import type { StateReader } from '../store.ts'

/** What a hub says of itself, of a token, and of its repository. */
export interface HubFacts {
  readonly version: string
  readonly protocol: number
  /** Of the token. */
  readonly name: string
  readonly role: Role
  /** The name of the repository's folder. */
  readonly repository: string
  /** The commit that runs start from where none is named; null where there is none. */
  readonly head: string | null
  /** Whether the asked commit is there. */
  readonly known: boolean
  readonly roots: readonly string[]
  /** The public key (PEM) of its receipts; null before the first. */
  readonly receipt_key: string | null
}

/** A request to the API of a hub. */
export interface HubRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** JSON. */
  readonly body?: string
  /** What acts has one, so that it happens once. */
  readonly key?: string
}

export type ConnectHub = (to: { readonly url: string; readonly token: string }) => HubClient

/** What somebody who follows wants of the connection meanwhile. */
export interface HubFollower {
  /** Told when the hub cannot be reached, and when it is again. */
  readonly note: (text: string) => void
  /** From then on nothing is tried again. */
  readonly stop: AbortSignal
}

/**
 * A hub, as a client with a token reaches it. Once it has answered, what cannot be sent is tried
 * again: for `limits.client.patienceMs`, or for as long as somebody follows. Whatever acts has a
 * key, so that it happens once. All reject with DrydockError: those of the hub, or
 * `hub_unreachable`, `not_signed_in`.
 */
export interface HubClient {
  /** Its origin. */
  readonly url: string
  /** `commit` is one that the client would start from. */
  facts(commit: string | null): Promise<HubFacts>
  /** Reads the state. Queries that are asked together are sent together. */
  openRecords(): StateReader
  /** The answer as JSON. */
  ask(request: HubRequest): Promise<unknown>
  /** Follows what happens; null while no process works on the state. */
  connect(on: Connecting): Promise<OwnerConnection | null>
  /** The content of a file of a verification. What breaks off on its way rejects. */
  file(runId: string, path: string): Promise<AsyncIterable<Uint8Array>>
  /** Where git finds its commits. */
  repository(): PushTarget
  /** Until the returned function is called. */
  followedBy(follower: HubFollower): () => void
}
