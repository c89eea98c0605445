import type { History } from '../../ports/history.ts'
import type { ControlRepository } from '../../ports/hub/control-repository.ts'
import type { Publisher } from '../../ports/publisher.ts'
import type { Remotes } from '../../ports/remotes.ts'
import type { UserRepository } from '../../ports/user-repository.ts'
import type { WorkTrees } from '../../ports/work-trees.ts'
import { remoteEnvironment } from './environment.ts'
import { createTalkingGit } from './git.ts'
import { createGitParts, type GitParts, type GitPartsOptions } from './git-parts.ts'
import { createHistory } from './history/history.ts'
import { createPublisher } from './publisher/publisher.ts'
import { createClones, type KeepClone } from './remotes/clones.ts'
import { createRemotes } from './remotes/remotes.ts'
import { stateName } from './state-name.ts'
import { createUserRepository } from './user-repository/user-repository.ts'
import { submodules } from './work-trees/submodules.ts'
import { createWorkTrees } from './work-trees/work-trees.ts'

export interface GitPortsOptions extends GitPartsOptions {
  /**
   * The author of handed-over commits: `user` for the user that git knows, or `Name <email>`;
   * Drydock if left out.
   */
  readonly author?: string | undefined
}

export interface GitPorts extends RepositoryGit {
  /** The ports for another repository, whose commits, workspaces and checkouts lie beside these. */
  beside(repository: string): Promise<RepositoryGit>
  /** Implements ControlRepository; loaded by the first request. */
  readonly control: ControlRepository
  /** Clones a repository, or updates its clone. Throws DrydockError `git_failed`. */
  readonly clone: KeepClone
}

export interface RepositoryGit {
  readonly history: History
  readonly workTrees: WorkTrees
  readonly userRepository: UserRepository
  readonly publisher: Publisher
  readonly remotes: Remotes
}

/** All git ports, for a setup with everything on one machine. */
export function createGitPorts({ author = '', ...options }: GitPortsOptions): GitPorts {
  const parts = createGitParts(options)
  const portsOf = (of: GitParts) => repositoryGit(of, { author, environment: options.environment })
  return {
    ...portsOf(parts),
    control: lazyControl(parts),
    clone: createClones(parts, createTalkingGit(remoteEnvironment(options.environment))),
    // A folder's name may be invalid in a ref, but the hash at its end is not.
    beside: async (repository) => portsOf(parts.beside(repository, (await stateName(repository)).slice(-12))),
  }
}

function lazyControl(parts: GitParts): ControlRepository {
  let loaded: Promise<ControlRepository> | null = null
  const load = async () => (await import('./control/control-repository.ts')).createControlRepository(parts)
  return {
    async answer(...given) {
      loaded ??= load()
      return (await loaded).answer(...given)
    },
  }
}

interface Common {
  readonly author: string
  readonly environment: NodeJS.ProcessEnv
}

function repositoryGit(parts: GitParts, { author, environment }: Common): RepositoryGit {
  return {
    history: createHistory(parts),
    workTrees: createWorkTrees(parts, (sha, signal) => submodules(parts, sha, signal)),
    userRepository: createUserRepository(parts, author),
    publisher: createPublisher(parts),
    remotes: createRemotes(parts, remoteEnvironment(environment)),
  }
}
