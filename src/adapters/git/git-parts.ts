import { join } from 'node:path'
import { ownedEnvironment, userEnvironment } from './environment.ts'
import { createGit, type Git } from './git.ts'
import { createMirror, type UserMirror } from './history/mirror.ts'
import type { Mirror } from './history/mirror-writes.ts'
import { type Layout, layoutOf } from './layout.ts'
import { createLock, type Lock } from './lock.ts'
import { keptReader } from './objects/kept-reader.ts'
import type { ReadObject } from './objects/read-objects.ts'
import { notesRef } from './publisher/note.ts'

export interface GitPartsOptions {
  /** Absolute path of the top of the user's work tree. */
  readonly repository: string
  /** Absolute path of the state directory, which only Drydock writes to. */
  readonly state: string
  /** Drydock's environment, for git's PATH and for the location of the user's configuration. */
  readonly environment: NodeJS.ProcessEnv
  /** The SSH key that signs handed-over commits. */
  readonly signing?: string | undefined
}

/** The parts for work on a host, wherever its commits come from. */
export interface HostParts {
  readonly layout: Layout
  /** Git on Drydock's own directories, with Drydock's configuration alone. */
  readonly git: Git
  /** Reads objects of the mirror. */
  readonly objects: ReadObject
  readonly lock: Lock
  readonly mirror: Mirror
}

/** The parts that the ports of git are made from. */
export interface GitParts extends HostParts {
  /** The environment of `git`. */
  readonly ownEnvironment: Readonly<Record<string, string>>
  /** Git with the user's configuration. */
  readonly userGit: Git
  /** Reads objects of the user's repository. */
  readonly userObjects: ReadObject
  readonly mirror: UserMirror
  readonly repository: string
  /** The ref of the mirror that receipts are noted in before they are handed over. */
  readonly notes: string
  /** The parts for another repository whose objects lie in the same mirror. */
  beside(repository: string, name: string): GitParts
}

export function createGitParts({ repository, state, environment, signing: key }: GitPartsOptions): GitParts {
  const layout = layoutOf(state)
  const ownEnvironment = ownedEnvironment(environment, { config: layout.config, home: layout.scratch })
  const git = createGit(ownEnvironment)
  const usersEnvironment = userEnvironment(environment)
  const userGit = createGit(usersEnvironment)
  const lock = createLock(layout.locks)
  const signing = key === undefined ? null : { key, agent: environment.SSH_AUTH_SOCK }
  const objects = keptReader({ environment: ownEnvironment, gitDir: layout.mirror })
  const shared = { layout, git, objects, ownEnvironment, userGit, lock }
  const partsOf = (repository: string, beside?: string): GitParts => ({
    ...shared,
    mirror: createMirror({ ...shared, repository, signing, beside }),
    repository,
    userObjects: keptReader({ environment: usersEnvironment, gitDir: join(repository, '.git') }),
    notes: beside === undefined ? notesRef : `refs/notes/beside/${beside}`,
    beside: partsOf,
  })
  return partsOf(repository)
}
