import { join } from 'node:path'

/** Where things are below the state directory. */
export interface Layout {
  readonly state: string
  readonly mirror: string
  readonly locks: string
  readonly slots: string
  /** Temporary files and directories, on the same file system as all else. */
  readonly scratch: string
  /** What a workspace had in it that no snapshot can hold. */
  readonly aside: string
  /**
   * Git directories that agents get copies of, one for each commit that stories started at lately:
   * a cache.
   */
  readonly clones: string
  /** Files of submodules, one folder for each commit: a cache. */
  readonly submodules: string
  /** Clones of the repositories that specs name by their URLs. */
  readonly repositories: string
  /** The git that was found to be new enough. */
  readonly knownGit: string
  readonly config: string
  readonly excludes: string
  workspace(slot: string): string
  /** The objects that the workspace's `.git` borrows: a folder beside it, as `history` says. */
  history(slot: string): string
  /** The orchestrator's git directory of a slot: own HEAD and index, all else the mirror's. */
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
