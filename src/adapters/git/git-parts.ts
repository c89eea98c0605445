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
  /** Absolute path of the state directory, which nobody but Drydock writes to. */
  readonly state: string
  /** The environment of Drydock: git's PATH, and where the user's own configuration is found. */
  readonly environment: NodeJS.ProcessEnv
  /** SSH key that signs what is handed over. */
  readonly signing?: string | undefined
}

/** What the work on a host is made from, wherever its commits come from. */
export interface HostParts {
  readonly layout: Layout
  /** Git on Drydock's own directories, with its own configuration alone. */
  readonly git: Git
  /** Reads objects of the mirror. */
  readonly objects: ReadObject
  readonly lock: Lock
  readonly mirror: Mirror
}

/** What the ports of git are made from. */
export interface GitParts extends HostParts {
  /** What that git gets. */
  readonly ownEnvironment: Readonly<Record<string, string>>
  /** Git with the user's configuration. */
  readonly userGit: Git
  /** Reads objects of the user's repository. */
  readonly userObjects: ReadObject
  readonly mirror: UserMirror
  readonly repository: string
  /** The ref of the mirror that receipts are noted in before they are handed over. */
  readonly notes: string
  /** The same for another repository, whose objects lie in this mirror as well. */
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
