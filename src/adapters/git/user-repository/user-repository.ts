import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseIdentity } from '../../../domain/identity.ts'
import type { UserRepository } from '../../../ports/user-repository.ts'
import type { Git, GitOptions } from '../git.ts'
import type { GitParts } from '../git-parts.ts'
import { committedFiles } from '../history/committed-files.ts'
import { fetchFromMirror } from '../remotes/remote-git.ts'
import { unlessMissing } from '../unless-missing.ts'
import { applyToUserTree } from './apply.ts'
import { createCommitRanges } from './commit-ranges.ts'
import { holderOf, ownBranches, removeBranch } from './own-branches.ts'
import { requireGit } from './require-git.ts'
import { createUserReads } from './user-reads.ts'
import { snapshotUserTree } from './user-tree.ts'

/** `author` comes from the user's configuration; empty for Drydock. */
export function createUserRepository(parts: GitParts, author: string): UserRepository {
  const { userGit, userObjects, repository, mirror, layout, ownEnvironment } = parts
  const reads = createUserReads(userGit, repository)
  let required: Promise<void> | null = null
  async function target(name: string | null) {
    required ??= requireGit(userGit, { file: layout.knownGit, hostPath: ownEnvironment.PATH ?? '' })
    const [found] = await Promise.all([reads.target(name), required])
    return found
  }
  return {
    ...createCommitRanges(parts),
    updateMirror: (signal, onProgress) => mirror.update(signal, onProgress),
    async target(name) {
      const found = await target(name)
      await mirror.ensure(found.sha)
      return found
    },
    has: (path) =>
      stat(join(repository, path)).then(
        () => true,
        () => false,
      ),
    commitOf: async (name) => (await target(name)).sha,
    author: async () => (author === 'user' ? reads.identity() : parseIdentity(author)),
    fileAt: reads.fileAt,
    filesAt: reads.filesAt,
    entriesBelow: reads.entriesBelow,
    committed: (sha) => committedFiles({ git: userGit, mirror: join(repository, '.git'), objects: userObjects }, sha),
    async takeBack(sha) {
      const isIn = async (run: Git, where: GitOptions) =>
        (await run(['cat-file', '-e', `${sha}^{commit}`], { ...where, exits: [1, 128] })).code === 0
      if (await isIn(userGit, { workTree: repository })) return
      const isThere = (await unlessMissing(stat(parts.layout.mirror))) !== null
      if (isThere && (await isIn(parts.git, { gitDir: parts.layout.mirror }))) await fetchFromMirror(parts, sha)
    },
    holderOf: (sha) => holderOf(userGit, repository, sha),
    branches: reads.branches,
    ownBranches: () => ownBranches(userGit, repository),
    removeBranch: (branch) => removeBranch(userGit, repository, branch),
    sparseCheckout: reads.sparseCheckout,
    uncommitted: reads.uncommitted,
    async snapshotUserTree(ref, at) {
      const { sha: head } = await reads.target(null)
      return snapshotUserTree({ ...parts, head }, ref, at)
    },
    async applyToUserTree(base, sha) {
      const { sha: head } = await reads.target(null)
      await mirror.ensure(head)
      return applyToUserTree(parts, { base, sha, head })
    },
  }
}
