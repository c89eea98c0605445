import type { Readable, Writable } from 'node:stream'
import type { GitConversation, RefChange, RefFolder } from '../../domain/hub/ref-rights.ts'

export interface GitRequest {
  readonly conversation: GitConversation
  /** The client's request body, unread; null when it only asks for the refs. */
  readonly said: Readable | null
  /** The protocol version that the client can speak, from its header. */
  readonly protocol: string
  /** Folders that the client may push to. */
  readonly folders: readonly RefFolder[]
  /** The refs shown to a pushing client: folders, each ending in a slash. */
  readonly shown: readonly string[]
  /** Called for each push that is refused as a whole. */
  readonly onRefused: (changes: readonly RefChange[]) => void
}

/**
 * The commits that a hub shares with its workers and clients: the mirror over git's own protocol.
 * Every commit in it can be fetched by its id. A push is refused as a whole if one of its changes
 * is; then none of its objects is kept.
 */
export interface ControlRepository {
  /**
   * Answers one request of git's protocol over HTTP. Both streams apply backpressure. Rejects when
   * git fails, when the request is invalid, and with the reason of the signal; no process is left
   * running then. Until `answer` is written to, nothing has changed.
   */
  answer(request: GitRequest, answer: Writable, signal: AbortSignal): Promise<void>
}
