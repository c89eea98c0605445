import type { History } from '../../src/ports/history.ts'
import type { Publisher } from '../../src/ports/publisher.ts'
import type { UserRepository } from '../../src/ports/user-repository.ts'
import type { WorkTrees } from '../../src/ports/work-trees.ts'
import { createMemoryHistory } from './git/history.ts'
import { createMirror, type Mirror } from './git/mirror.ts'
import { createMemoryPublisher } from './git/publisher.ts'
import type { Disk, Repository } from './git/repository.ts'
import { createMemoryUserRepository } from './git/user-repository.ts'
import { createMemoryWorkTrees } from './git/work-trees.ts'
import { createObjects, type Objects } from './objects.ts'

// biome-ignore lint/performance/noBarrelFile: a world has its repository and its git from one place.
export {
  commitAll,
  createRepository,
  type Disk,
  headOf,
  type Repository,
  revision,
  userName,
  type Work,
} from './git/repository.ts'

/** Git without git: a mirror, work trees and any number of users' repositories in memory. */
export interface MemoryGit {
  readonly objects: Objects
  readonly mirror: Mirror
  /** The refs of the mirror by full name. */
  readonly refs: Map<string, string>
  readonly disk: Disk
  /** The commit of each checkout folder, for programs that judge by commits. */
  readonly checkouts: Map<string, string>
  readonly history: History
  readonly workTrees: WorkTrees
  /** The ports for a user's repository. */
  beside(repository: Repository): {
    readonly userRepository: UserRepository
    readonly publisher: Publisher
    readonly workTrees: WorkTrees
  }
}

/** All of Drydock's git operations, for a state directory of this path. */
export function createMemoryGit(state: string, objects: Objects = createObjects()): MemoryGit {
  const mirror = createMirror(objects)
  const disk: Disk = new Map()
  const checkouts = new Map<string, string>()
  const workTrees = createMemoryWorkTrees({ mirror, disk, checkouts, state })
  return {
    objects,
    mirror,
    refs: mirror.refs,
    disk,
    checkouts,
    workTrees,
    history: createMemoryHistory(mirror),
    beside: (repository) => ({
      userRepository: createMemoryUserRepository(repository, mirror),
      publisher: createMemoryPublisher(repository, mirror),
      workTrees,
    }),
  }
}
