import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseIdentity } from '../../domain/identity.ts'
import type { MirrorReads } from '../../ports/history.ts'
import type { Workspaces } from '../../ports/workspace.ts'
import { ownedEnvironment, userEnvironment } from './environment.ts'
import { createGit, type Git } from './git.ts'
import { committedFiles } from './history/committed-files.ts'
import { conflictMarkers } from './history/conflict-markers.ts'
import { contents } from './history/contents.ts'
import { changedFiles, diff } from './history/diff.ts'
import { gitInside } from './history/git-inside.ts'
import { forget, hiddenCommits } from './history/hidden-refs.ts'
import { isAncestor } from './history/is-ancestor.ts'
import { lfsPointers } from './history/lfs-pointers.ts'
import { merge } from './history/merge.ts'
import { createMirror } from './history/mirror.ts'
import { namesIn } from './history/names-in.ts'
import { tidy } from './history/tidy.ts'
import { treeWith } from './history/tree-with.ts'
import { layoutOf } from './layout.ts'
import { createLock } from './lock.ts'
import { writeOwnConfig } from './own-config.ts'
import { applyToUserTree } from './user-repository/apply.ts'
import { note } from './user-repository/note.ts'
import { ownBranches, removeBranch } from './user-repository/own-branches.ts'
import { publish } from './user-repository/publish.ts'
import { requireGit } from './user-repository/require-git.ts'
import { createUserRepository } from './user-repository/user-repository.ts'
import { snapshotUserTree } from './user-repository/user-tree.ts'
import { checkout } from './work-trees/checkout.ts'
import { ignoredPaths } from './work-trees/ignored-paths.ts'
import { makeMountPoints } from './work-trees/mount-points.ts'
import { prepare } from './work-trees/prepare.ts'
import { listSetAside } from './work-trees/set-aside.ts'
import { makeSlot } from './work-trees/slot.ts'
import { snapshot } from './work-trees/snapshot.ts'
import { submodules } from './work-trees/submodules.ts'

export interface GitWorkspacesOptions {
  /** Absolute path of the top of the user's work tree. */
  readonly repository: string
  /** Absolute path of the state directory, which nobody but Drydock writes to. */
  readonly state: string
  /** The environment of Drydock: git's PATH, and where the user's own configuration is found. */
  readonly environment: NodeJS.ProcessEnv
  /**
   * Author of what is handed over: `user` for the user that git knows, or `Name <email>`; Drydock
   * without it.
   */
  readonly author?: string | undefined
}

/** An `ignored` that takes longer was fooled by the workspace. */
const ignoredMs = 30_000

export function createGitWorkspaces({ repository, state, environment, author = '' }: GitWorkspacesOptions): Workspaces {
  const layout = layoutOf(state)
  const git = createGit(ownedEnvironment(environment, { config: layout.config, home: layout.scratch }))
  const userGit = createGit(userEnvironment(environment))
  const lock = createLock(layout.locks)
  const mirror = createMirror({ layout, git, userGit, lock, repository })
  const user = createUserRepository(userGit, repository)
  const parts = { layout, git, lock, mirror }

  return {
    async initialize(slots) {
      for (const path of [layout.scratch, join(state, 'workspaces'), join(state, 'checkouts'), layout.slots])
        await mkdir(path, { recursive: true })
      await writeOwnConfig(layout)
      await mirror.initialize()
      for (const slot of slots) await makeSlot(layout, slot)
    },
    updateMirror: (signal) => mirror.update(signal),
    async target(name) {
      await requireGit(userGit)
      const target = await user.target(name)
      await mirror.ensure(target.sha)
      return target
    },
    author: async () => (author === 'user' ? user.identity() : parseIdentity(author)),
    fileAt: user.fileAt,
    branches: user.branches,
    ownBranches: () => ownBranches(userGit, repository),
    removeBranch: (branch) => removeBranch(userGit, repository, branch),
    uncommitted: user.uncommitted,
    path: layout.workspace,
    prepare: (input, signal) => prepare(parts, input, signal),
    snapshot: (input, signal) => snapshot(parts, input, signal),
    async commit(input) {
      const sha = await mirror.commit(input)
      await mirror.keep(input.ref, sha)
      return sha
    },
    hidden: (under) => hiddenCommits(git, layout.mirror, under),
    setAside: (under) => listSetAside(layout, under),
    forget: (gone, signal) => forget(parts, gone, signal),
    async snapshotUserTree(ref, at) {
      const { sha: head } = await user.target(null)
      return snapshotUserTree({ userGit, repository, layout, mirror, head }, ref, at)
    },
    tree: (sha) => mirror.resolve(`${sha}^{tree}`),
    treeWith: (input) => treeWith(parts, input),
    contents: (sha, paths) => contents(git, layout.mirror, { sha, paths }),
    namesIn: (sha, folder) => namesIn(git, layout.mirror, { sha, folder }),
    changedFiles: (from, to) => changedFiles(git, layout.mirror, from, to),
    async ignored(slot, paths) {
      const place = {
        gitDir: layout.slotGit(slot),
        workTree: layout.workspace(slot),
        signal: AbortSignal.timeout(ignoredMs),
      }
      const raw = await ignoredPaths(
        git,
        place,
        paths.map((path) => Buffer.from(path, 'utf8').toString('latin1')),
      )
      return raw.map((path) => Buffer.from(path, 'latin1').toString('utf8'))
    },
    checkout: (name, sha, signal) => checkout(parts, { name, sha }, signal),
    submodules: (sha, signal) => submodules({ ...parts, userGit, repository }, sha, signal),
    lfsPointers: (sha) => lfsPointers(git, layout.mirror, sha),
    makeMountPoints,
    merge: (input) => merge(git, layout.mirror, input),
    conflictMarkers: (sha, paths) => conflictMarkers(git, layout.mirror, { sha, paths }),
    ...mirrorReads(git, layout.mirror),
    inside: (at, read) => mirrorReads(gitInside(at, read), at),
    tidy: (signal) => tidy(parts, signal),
    publish: (branch, sha, from) => publish({ userGit, repository, mirror: layout.mirror }, { branch, sha, from }),
    note: (input) => note({ git, userGit, lock, repository, mirror: layout.mirror }, input),
    async applyToUserTree(base, sha) {
      const { sha: head } = await user.target(null)
      await mirror.ensure(head)
      return applyToUserTree({ git, userGit, repository, layout }, { base, sha, head })
    },
  }
}

function mirrorReads(git: Git, mirror: string): MirrorReads {
  return {
    diff: (input) => diff(git, mirror, input),
    isAncestor: (ancestor, of) => isAncestor(git, mirror, [ancestor, of]),
    committed: (sha) => committedFiles(git, mirror, sha),
  }
}
