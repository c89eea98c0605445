import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Identity } from '../../../domain/identity.ts'
import type { CommitInput } from '../../../ports/history.ts'
import type { UserRefs } from '../../../ports/user-repository.ts'
import type { Git, GitOptions, GitOutput } from '../git.ts'
import type { Layout } from '../layout.ts'
import type { Lock, Spawned } from '../lock.ts'
import { objectId } from '../revision.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeLocks } from '../work-trees/move-work-tree.ts'
import { keepFirstPack } from './first-pack.ts'
import { type Signing, signCommit } from './sign-commit.ts'

export interface Mirror {
  initialize(): Promise<void>
  /**
   * Fetches heads, tags and HEAD of the user's repository; `refs/drydock/*` stays as it is. Returns
   * what they are.
   */
  update(signal: AbortSignal | undefined): Promise<UserRefs>
  /**
   * The user's branch is now at a commit that came from here, so the next update need not fetch it.
   */
  follow(branch: string, sha: string): Promise<void>
  /**
   * Fetches the commit from the user's repository when the mirror is there but the commit is not.
   */
  ensure(sha: string): Promise<void>
  /** The tags that agents are shown, a line each with its object. */
  tags(options: Pick<GitOptions, 'signal' | 'spawned'>): Promise<string>
  resolve(revision: string): Promise<string>
  /** Makes a commit; the same input gives the same commit. */
  commit(input: Pick<CommitInput, 'tree' | 'parents' | 'message' | 'at' | 'author' | 'signed'>): Promise<string>
  /** Points a ref below `refs/drydock/` at the commit. */
  keep(ref: string, sha: string): Promise<void>
}

/** Where the mirror keeps the refs of a repository that it copies. */
interface Places {
  readonly heads: string
  readonly tags: string
  readonly head: string
}

const ownPlaces: Places = { heads: 'refs/heads/', tags: 'refs/tags/', head: 'refs/user/HEAD' }

/** Another repository's refs have a folder of their own; agents are not shown its tags. */
function placesBeside(name: string): Places {
  const folder = `refs/user/beside/${name}`
  return { heads: `${folder}/heads/`, tags: `${folder}/tags/`, head: `${folder}/HEAD` }
}

export function createMirror(parts: {
  layout: Layout
  git: Git
  userGit: Git
  lock: Lock
  repository: string
  signing: Signing | null
  /** Of a repository whose objects lie in the mirror of another one: a name that is its alone. */
  beside?: string | undefined
}): Mirror {
  const { layout, git, userGit, lock, repository, signing, beside } = parts
  const places = beside === undefined ? ownPlaces : placesBeside(beside)
  const gitDir = layout.mirror

  /** Commits that were seen here. Git keeps one for two weeks after the last ref has left it. */
  const present = new Set<string>()
  /** The updates that are under way, which may bring a commit that is asked for. */
  let updating: Promise<unknown> = Promise.resolve()
  /** As the last update has left them. */
  let tags: string | null = null

  const fetch = async (what: readonly string[], signal: AbortSignal | undefined, spawned: Spawned) => {
    const quiet = ['--quiet', '--no-auto-maintenance', '--no-write-fetch-head', '--no-recurse-submodules']
    const args = [...(await keepFirstPack(gitDir)), 'fetch', ...quiet, '--no-tags', '--update-shallow', ...what]
    await removeLocks(gitDir)
    try {
      await git(args, { gitDir, signal, spawned })
    } catch (error) {
      if (isPartial(error)) throw partialClone(repository, error)
      if (!leftLocked(error)) throw error
      await removeRefLocks(gitDir)
      await git(args, { gitDir, signal, spawned })
    }
  }

  const userRefs = async (signal: AbortSignal | undefined) => {
    const list = ['show-ref', '--head', '--heads', '--tags']
    return linesOf(await userGit(list, { workTree: repository, exits: [1], signal }), (line) =>
      line
        .replace(/ HEAD$/, ` ${places.head}`)
        .replace(' refs/heads/', ` ${places.heads}`)
        .replace(' refs/tags/', ` ${places.tags}`),
    )
  }

  const mirroredRefs = async (signal: AbortSignal | undefined) => {
    const list = ['for-each-ref', '--format=%(objectname) %(refname)', places.heads, places.tags, places.head]
    return linesOf(await git(list, { gitDir, signal }))
  }

  return {
    initialize: () =>
      lock('mirror', undefined, async () => {
        if ((await unlessMissing(stat(gitDir))) !== null) return
        const format = (await userGit(['rev-parse', '--show-object-format'], { workTree: repository })).stdout
          .toString()
          .trim()
        const fresh = join(layout.scratch, randomUUID())
        await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, fresh])
        await rename(fresh, gitDir)
      }),

    update(signal) {
      const update = lock('mirror', signal, async (spawned) => {
        const [wanted, mirrored] = await Promise.all([userRefs(signal), mirroredRefs(signal)])
        const refs = refsIn(wanted, places)
        if (wanted.join() !== mirrored.join()) {
          const heads = ['--prune', repository, `+refs/heads/*:${places.heads}*`, `+refs/tags/*:${places.tags}*`]
          await fetch(refs.head === null ? heads : [...heads, `+HEAD:${places.head}`], signal, spawned)
        }
        if (beside === undefined) tags = tagsIn(wanted)
        if (refs.head !== null) present.add(refs.head)
        return refs
      })
      updating = Promise.allSettled([updating, update])
      return update
    },

    follow: (branch, sha) =>
      lock('mirror', undefined, async () => {
        // Whatever is in its way is seen to by the next update.
        await git(['update-ref', `${places.heads}${branch}`, sha], { gitDir, exits: [1, 128] })
      }),

    async ensure(sha) {
      if (present.has(sha)) return
      await updating
      if ((await unlessMissing(stat(gitDir))) === null) return
      const here = await git(['cat-file', '-e', `${sha}^{commit}`], { gitDir, exits: [1, 128] })
      if (here.code !== 0)
        await lock('mirror', undefined, (spawned) =>
          fetch([repository, `+${sha}:refs/user/commits/${sha}`], undefined, spawned),
        )
      present.add(sha)
    },

    async tags(options) {
      if (tags !== null) return tags
      const list = ['for-each-ref', '--format=%(objectname) %(refname)', ownPlaces.tags]
      return tagsIn(linesOf(await git(list, { ...options, gitDir })))
    },

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
      if (!ref.startsWith('refs/drydock/')) throw new Error(`${ref} is not below refs/drydock/`)
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

function tagsIn(lines: readonly string[]): string {
  return lines.filter((line) => line.includes(` ${ownPlaces.tags}`)).join('\n')
}

/** Of lines as the mirror has them. */
function refsIn(lines: readonly string[], { heads, head }: Places): UserRefs {
  const refs = lines.map((line): readonly [string, string] => {
    const at = line.indexOf(' ')
    return [line.slice(0, at), Buffer.from(line.slice(at + 1), 'latin1').toString('utf8')]
  })
  return {
    head: refs.find(([, name]) => name === head)?.[0] ?? null,
    branches: refs.flatMap(([, name]) => (name.startsWith(heads) ? [name.slice(heads.length)] : [])),
  }
}

/** Sorted, as what they are compared with. */
function linesOf({ stdout }: GitOutput, change = (line: string) => line): readonly string[] {
  return stdout.toString('latin1').split('\n').slice(0, -1).map(change).sort()
}

/** Whether a git that was killed may have left a lock behind. */
export function leftLocked(error: unknown): boolean {
  return error instanceof DrydockError && /another git process|cannot lock ref|\.lock'/i.test(error.message)
}

/** Git fetches nothing that is missing in a repository which it is itself asked to fetch from. */
function isPartial(error: unknown): boolean {
  return error instanceof DrydockError && /promisor remote|lazy fetching disabled/.test(error.message)
}

function partialClone(repository: string, cause: unknown): DrydockError {
  const message = `${repository} is a partial clone: some files of its commits are missing.`
  return new DrydockError('git_failed', message, { todo: 'git fetch --refetch --no-filter', cause })
}

/**
 * Lock files of the refs that only an update of the mirror writes, or of those in other folders
 * that nobody writes meanwhile.
 */
export async function removeRefLocks(gitDir: string, folders: readonly string[] = ['heads', 'tags', 'user']) {
  for (const folder of folders) {
    const top = join(gitDir, 'refs', folder)
    const files = (await unlessMissing(readdir(top, { recursive: true }))) ?? []
    for (const file of files) if (file.endsWith('.lock')) await rm(join(top, file), { force: true })
  }
}
