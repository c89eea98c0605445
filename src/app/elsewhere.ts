import type { CommandFate } from '../api/commands.ts'
import type { OpenedRepository, RepositoryList } from '../api/repositories.ts'

/**
 * The repositories of this installation, for its one user. Each has a state, an owner and a server
 * of its own. Other repositories are read directly, commands to them are stored in their states,
 * and a server is started if none is running.
 */
export interface Elsewhere {
  list(): Promise<RepositoryList>
  /**
   * Returns a one-time link that signs in to the server of a repository, and starts a server if
   * none is running. Throws DrydockError `not_found`, `not_a_repository`.
   */
  open(id: string): Promise<OpenedRepository>
  /**
   * Makes the demo repository, requests a build of its spec, and opens its server. Throws a
   * DrydockError if anything prevents that.
   */
  demo(): Promise<OpenedRepository>
  /**
   * Answers a question of another repository. Throws DrydockError `not_found`, and the errors of a
   * reply.
   */
  reply(id: string, given: { readonly message: string; readonly text: string }): Promise<CommandFate>
  /** Stops the servers that were started by `open` and `demo`. */
  close(): Promise<void>
}
