import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Identity } from '../../../domain/identity.ts'
import type { CommitInput } from '../../../ports/history.ts'
import { failed, type Git, type GitOptions } from '../git.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import { commitContent } from '../objects/commits.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { writeObject } from '../objects/write-object.ts'
import { writeRef } from '../objects/write-ref.ts'
import { objectFormat, objectId } from '../revision.ts'
import { mustBeHidden } from './hidden-refs.ts'
import { leftLocked } from './left-locks.ts'
import { type Signing, signCommit } from './sign-commit.ts'

/** The state's own copy of a repository, with the operations that make commits in it. */
export interface Mirror {
  initialize(): Promise<void>
  /** The tags that agents are shown, one line each with its object. */
  tags(options: Pick<GitOptions, 'signal' | 'spawned'>): Promise<string>
  resolve(revision: string): Promise<string>
  /** Makes a commit. Equal input gives an equal commit. */
  commit(input: Pick<CommitInput, 'tree' | 'parents' | 'message' | 'at' | 'author' | 'signed'>): Promise<string>
  /** Makes a commit that differs from `like` only in its tree. */
  commitLike(input: { readonly like: string; readonly tree: string }): Promise<string>
  /** Points a ref below `refs/drydock/` at the commit. */
  keep(ref: string, sha: string): Promise<void>
}

/** The operations that need only the mirror, wherever its commits come from. */
export function createMirrorWrites(parts: {
  readonly layout: Layout
  readonly git: Git
  readonly objects: ReadObject
  readonly lock: Lock
  readonly signing: Signing | null
}): Omit<Mirror, 'initialize'> {
  const { layout, git, objects, lock, signing } = parts
  const gitDir = layout.mirror
  const mustBe = async (type: string, id: string) => {
    const found = await objects(id, { maxBytes: 0 })
    if (found?.type !== type || found.id !== id) throw failed(['commit-tree'], `${id} is not a ${type}`)
  }
  return {
    async tags(options) {
      const list = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/tags/']
      const lines = (await git(list, { ...options, gitDir })).stdout.toString('latin1').split('\n')
      return lines.slice(0, -1).sort().join('\n')
    },

    async resolve(revision) {
      return objectId((await git(['rev-parse', '--quiet', '--verify', revision], { gitDir })).stdout)
    },

    async commit({ tree, parents, message, at, author, signed }) {
      const by = author ?? drydock
      if (signed && signing !== null) {
        const date = `@${Math.floor(at.getTime() / 1000)} +0000`
        const environment = { ...who('AUTHOR', by, date), ...who('COMMITTER', by, date) }
        const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
        return signCommit(git, signing, { gitDir, environment, input: message, args })
      }
      await Promise.all([mustBe('tree', tree), ...parents.map((parent) => mustBe('commit', parent))])
      const content = commitContent({ tree, parents, message, author: { ...by, at }, committer: { ...drydock, at } })
      return writeObject(join(gitDir, 'objects'), { type: 'commit', content, format: objectFormat(tree) })
    },

    async commitLike({ like, tree }) {
      await mustBe('tree', tree)
      const found = await objects(like, { maxBytes: Number.MAX_SAFE_INTEGER })
      if (found?.type !== 'commit' || found.content === null) throw failed(['commit-tree'], `${like} is not a commit`)
      // The tree is always the first line.
      const rest = found.content.subarray(found.content.indexOf('\n'))
      const content = Buffer.concat([Buffer.from(`tree ${tree}`), rest])
      return writeObject(join(gitDir, 'objects'), { type: 'commit', content, format: objectFormat(tree) })
    },

    keep(ref, sha) {
      mustBeHidden(ref)
      return lock('refs', undefined, async () => {
        const isThere = (await objects(sha, { maxBytes: 0 })) !== null
        if (isThere && (await writeRef(gitDir, ref, sha))) return
        const update = () => git(['update-ref', ref, sha], { gitDir })
        try {
          await update()
        } catch (error) {
          // Only the holder of this lock writes refs, so a lock file at this path was left by a
          // killed git.
          await rm(join(gitDir, `${ref}.lock`), { force: true })
          if (!leftLocked(error)) throw error
          await update()
        }
      })
    },
  }
}

const drydock: Identity = { name: 'Drydock', email: 'drydock@localhost' }

function who(role: 'AUTHOR' | 'COMMITTER', { name, email }: Identity, date: string): Record<string, string> {
  return { [`GIT_${role}_NAME`]: name, [`GIT_${role}_EMAIL`]: email, [`GIT_${role}_DATE`]: date }
}
