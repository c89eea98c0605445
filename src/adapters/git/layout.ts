import { join } from 'node:path'

/** The paths below the state directory. */
export interface Layout {
  readonly state: string
  readonly mirror: string
  readonly locks: string
  readonly slots: string
  /** Temporary files and directories, on the file system of the state. */
  readonly scratch: string
  /** Files of workspaces that a snapshot cannot hold. */
  readonly aside: string
  /**
   * A cache of git directories that agents get copies of, one for each commit that stories started
   * at recently.
   */
  readonly clones: string
  /** A cache of submodules' files, one folder per commit. */
  readonly submodules: string
  /** Clones of the repositories that specs name by URL. */
  readonly repositories: string
  /** The file that records a git which was new enough. */
  readonly knownGit: string
  readonly config: string
  readonly excludes: string
  workspace(slot: string): string
  /**
   * The objects that the workspace's `.git` borrows: a folder beside it, written by
   * `share-history.ts`.
   */
  history(slot: string): string
  /**
   * The orchestrator's git directory of a slot: it has its own HEAD and index, and uses the
   * mirror's objects and refs.
   */
  slotGit(slot: string): string
  checkout(name: string): string
}

export function layoutOf(state: string): Layout {
  const slots = join(state, 'slots')
  return {
    state,
    mirror: join(state, 'mirror.git'),
    locks: join(state, 'locks'),
    slots,
    scratch: join(state, 'scratch'),
    aside: join(state, 'set-aside'),
    clones: join(state, 'clones'),
    submodules: join(state, 'artifacts', 'cache', 'submodules'),
    repositories: join(state, 'repositories'),
    knownGit: join(state, 'git.known'),
    config: join(state, 'git.config'),
    excludes: join(state, 'git.exclude'),
    workspace: (slot) => join(state, 'workspaces', named(slot)),
    history: (slot) => join(state, 'workspaces', `${named(slot)}.history`),
    slotGit: (slot) => join(slots, `${named(slot)}.git`),
    checkout: (name) => join(state, 'checkouts', named(name)),
  }
}

function named(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new Error(`${JSON.stringify(name)} is not a name for a directory`)
  return name
}
