import type { History } from './history.ts'
import type { Publisher } from './publisher.ts'
import type { UserRepository } from './user-repository.ts'
import type { WorkTrees } from './work-trees.ts'

/** All that one adapter of git does, on one machine. */
export interface Workspaces extends History, WorkTrees, UserRepository, Publisher {}
