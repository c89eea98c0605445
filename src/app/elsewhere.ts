import type { CommandFate } from '../api/commands.ts'
import type { OpenedRepository, RepositoryList } from '../api/repositories.ts'

/**
 * The repositories of this installation, for its one user. Each has a state, an owner and a server
 * of its own: others are read, commands to them are stored in their states, and a server is started
 * for one that has none.
 */
export interface Elsewhere {
  list(): Promise<RepositoryList>
  /**
   * A link that signs in to the server of a repository, once; starts one where none runs.
   * DrydockError `not_found`, `not_a_repository`.
   */
  open(id: string): Promise<OpenedRepository>
  /** Answers a question of another repository. DrydockError `not_found`, and those of an answer. */
  reply(id: string, given: { readonly message: string; readonly text: string }): Promise<CommandFate>
  /** Ends the servers that were started for it. */
  close(): Promise<void>
}
