import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Identity } from '../../../domain/identity.ts'
import type { CommitInput } from '../../../ports/history.ts'
import type { Git } from '../git.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import { objectId } from '../revision.ts'
import { mustBeHidden } from './hidden-refs.ts'
import { leftLocked } from './left-locks.ts'
import { type Signing, signCommit } from './sign-commit.ts'

/** The state's own copy of a repository, as those use it who make commits in it. */
export interface Mirror {
  initialize(): Promise<void>
  resolve(revision: string): Promise<string>
  /** Makes a commit; the same input gives the same commit. */
  commit(input: Pick<CommitInput, 'tree' | 'parents' | 'message' | 'at' | 'author' | 'signed'>): Promise<string>
  /** Points a ref below `refs/drydock/` at the commit. */
  keep(ref: string, sha: string): Promise<void>
}

/** What a mirror does alone, wherever its commits come from. */
export function createMirrorWrites(parts: {
  readonly layout: Layout
  readonly git: Git
  readonly lock: Lock
  readonly signing: Signing | null
}): Omit<Mirror, 'initialize'> {
  const { layout, git, lock, signing } = parts
  const gitDir = layout.mirror
  return {
    async resolve(revision) {
      return objectId((await git(['rev-parse', '--quiet', '--verify', revision], { gitDir })).stdout)
    },

    async commit({ tree, parents, message, at, author, signed }) {
      const date = `@${Math.floor(at.getTime() / 1000)} +0000`
      const by = author ?? drydock
      const named = (committer: Identity) => ({ ...who('AUTHOR', by, date), ...who('COMMITTER', committer, date) })
      const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
      if (signed && signing !== null)
        return signCommit(git, signing, { gitDir, environment: named(by), input: message, args })
      return objectId((await git(args, { gitDir, environment: named(drydock), input: message })).stdout)
    },

    keep(ref, sha) {
      mustBeHidden(ref)
      const update = () => git(['update-ref', ref, sha], { gitDir })
      return lock('refs', undefined, async () => {
        try {
          await update()
        } catch (error) {
          // Nobody else writes a ref while this holds the lock: what lies there was left by a git
          // that was killed, perhaps by this one.
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
