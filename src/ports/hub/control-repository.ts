import type { Readable, Writable } from 'node:stream'
import type { GitConversation, RefChange, RefFolder } from '../../domain/hub/ref-rights.ts'

export interface GitRequest {
  readonly conversation: GitConversation
  /** What the client says, as it came off the line; null when it only asks what there is. */
  readonly said: Readable | null
  /** The version of the protocol that the client can speak, as its header has it. */
  readonly protocol: string
  /** What it may push. */
  readonly folders: readonly RefFolder[]
  /** The refs that one who pushes is shown: folders, each ending in a slash. */
  readonly shown: readonly string[]
  /** Told of each push that is refused as a whole. */
  readonly onRefused: (changes: readonly RefChange[]) => void
}

/**
 * The commits that a hub shares with its workers and clients: the mirror, reached by git's own
 * protocol. Every commit in it can be fetched by its id. A push is refused as a whole when one of
 * its changes is; then none of its objects is kept.
 */
export interface ControlRepository {
  /**
   * Answers one request of git's protocol over HTTP. Both streams flow only as fast as the other
   * end takes it. Rejects when git fails, when the client says what is no request, and with the
   * reason of the signal; by then nothing of it runs any more. Until `answer` was written to,
   * nothing was done.
   */
  answer(request: GitRequest, answer: Writable, signal: AbortSignal): Promise<void>
}
