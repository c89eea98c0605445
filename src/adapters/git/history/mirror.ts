import { randomUUID } from 'node:crypto'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { OnProgress } from '../../../domain/progress.ts'
import type { UserRefs } from '../../../ports/user-repository.ts'
import type { Git, GitOptions, GitOutput } from '../git.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { writeRef } from '../objects/write-ref.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeLocks } from '../work-trees/move-work-tree.ts'
import { keepFirstPack } from './first-pack.ts'
import { leftLocked, removeRefLocks } from './left-locks.ts'
import { linkObjects } from './link-objects.ts'
import { createMirrorWrites, type Mirror } from './mirror-writes.ts'
import type { Signing } from './sign-commit.ts'

/** The mirror of the user's repository. */
export interface UserMirror extends Mirror {
  /**
   * Fetches heads, tags and HEAD of the user's repository, and returns them; `refs/drydock/*` stays
   * as it is.
   */
  update(signal: AbortSignal | undefined, onProgress?: OnProgress): Promise<UserRefs>
  /**
   * Records that the user's branch is now at a commit that came from here, so the next update need
   * not fetch it.
   */
  follow(branch: string, sha: string): Promise<void>
  /** Fetches the commit from the user's repository if the mirror exists but lacks the commit. */
  ensure(sha: string): Promise<void>
}

type FetchOptions = Pick<GitOptions, 'signal' | 'spawned' | 'onProgress'>

/** The folders of refs in the mirror for one copied repository. */
interface Places {
  readonly heads: string
  readonly tags: string
  readonly head: string
}

const ownPlaces: Places = { heads: 'refs/heads/', tags: 'refs/tags/', head: 'refs/user/HEAD' }

/** Another repository's refs have their own folder, and agents do not see its tags. */
function placesBeside(name: string): Places {
  const folder = `refs/user/beside/${name}`
  return { heads: `${folder}/heads/`, tags: `${folder}/tags/`, head: `${folder}/HEAD` }
}

export function createMirror(parts: {
  layout: Layout
  git: Git
  objects: ReadObject
  userGit: Git
  lock: Lock
  repository: string
  signing: Signing | null
  /** A unique name, for a repository whose objects lie in the mirror of another one. */
  beside?: string | undefined
}): UserMirror {
  const { layout, git, objects, userGit, lock, repository, signing, beside } = parts
  const places = beside === undefined ? ownPlaces : placesBeside(beside)
  const gitDir = layout.mirror
  const writes = createMirrorWrites({ layout, git, objects, lock, signing })
  /** Commits that were found here. Git keeps a commit for two weeks after its last ref is gone. */
  const present = new Set<string>()
  /** The running updates; one of them may bring a requested commit. */
  let updating: Promise<unknown> = Promise.resolve()
  let where: Promise<GitOutput> | null = null
  /**
   * True if the mirror was just made and has no refs. If another process has filled it, git reports
   * that.
   */
  let isNew = false
  /** The tags after the last update. */
  let tags: string | null = null

  const fetch = async (what: readonly string[], options: FetchOptions) => {
    const told = options.onProgress ? ['--progress'] : []
    const quiet = ['--quiet', ...told, '--no-auto-maintenance', '--no-write-fetch-head', '--no-recurse-submodules']
    const args = [...(await keepFirstPack(gitDir)), 'fetch', ...quiet, '--no-tags', '--update-shallow', ...what]
    await removeLocks(gitDir)
    try {
      await git(args, { ...options, gitDir })
    } catch (error) {
      if (isPartial(error)) throw partialClone(repository, error)
      if (!leftLocked(error)) throw error
      await removeRefLocks(gitDir)
      await git(args, { ...options, gitDir })
    }
  }

  /** Used for the first copy; false if the objects have to be fetched. */
  const linkAll = async (refs: readonly string[], options: Pick<GitOptions, 'signal' | 'spawned'>) => {
    if (!(await linkObjects(await whereIs(), gitDir))) return false
    const input = Buffer.from(refs.map((line) => `create ${nameOf(line)} ${objectOf(line)}\n`).join(''), 'latin1')
    // Nothing is stored if one of them names a missing object.
    const { code } = await git(['update-ref', '--stdin'], { ...options, gitDir, input, exits: [1, 128] })
    return code === 0
  }

  /**
   * The hash of the user's repository, its folder of objects and the folder of its refs, for the
   * first copy.
   */
  const whereIs = async () => {
    const ask = ['rev-parse', '--show-object-format', '--path-format=absolute', '--git-path', 'objects']
    where ??= userGit([...ask, '--git-common-dir'], { workTree: repository })
    where.catch(() => {
      where = null
    })
    const [format = '', objects = '', common = ''] = (await where).stdout.toString('utf8').split('\n')
    return { format, objects, common }
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
        const { format } = await whereIs()
        const fresh = join(layout.scratch, randomUUID())
        await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, fresh])
        await rename(fresh, gitDir)
        isNew = true
      }),

    update(signal, onProgress) {
      const update = lock('mirror', signal, async (spawned) => {
        const [wanted, mirrored] = await Promise.all([userRefs(signal), isNew ? [] : mirroredRefs(signal)])
        isNew = false
        const refs = refsIn(wanted, places)
        const isDone = mirrored.length === 0 && (await linkAll(wanted, { signal, spawned }))
        if (!isDone && wanted.join() !== mirrored.join()) {
          const heads = ['--prune', repository, `+refs/heads/*:${places.heads}*`, `+refs/tags/*:${places.tags}*`]
          const what = refs.head === null ? heads : [...heads, `+HEAD:${places.head}`]
          await fetch(what, { signal, spawned, onProgress })
        }
        if (beside === undefined) tags = tagsIn(wanted)
        if (refs.head !== null) present.add(refs.head)
        return refs
      })
      updating = Promise.allSettled([updating, update])
      return update
    },

    follow: (branch, sha) =>
      lock('mirror', undefined, async (spawned) => {
        if (await writeRef(gitDir, `${places.heads}${branch}`, sha)) return
        // A failure is repaired by the next update.
        await git(['update-ref', `${places.heads}${branch}`, sha], { gitDir, exits: [1, 128], spawned })
      }),

    async ensure(sha) {
      if (present.has(sha)) return
      await updating
      if ((await unlessMissing(stat(gitDir))) === null) return
      const here = await git(['cat-file', '-e', `${sha}^{commit}`], { gitDir, exits: [1, 128] })
      if (here.code !== 0)
        await lock('mirror', undefined, (spawned) =>
          fetch([repository, `+${sha}:refs/user/commits/${sha}`], { spawned }),
        )
      present.add(sha)
    },

    ...writes,

    async tags(options) {
      return tags ?? writes.tags(options)
    },
  }
}

function tagsIn(lines: readonly string[]): string {
  return lines.filter((line) => line.includes(` ${ownPlaces.tags}`)).join('\n')
}

const objectOf = (line: string) => line.slice(0, line.indexOf(' '))
const nameOf = (line: string) => line.slice(line.indexOf(' ') + 1)

/** Reads lines in the mirror's form. */
function refsIn(lines: readonly string[], { heads, head }: Places): UserRefs {
  const refs = lines.map((line): readonly [string, string] => {
    return [objectOf(line), Buffer.from(nameOf(line), 'latin1').toString('utf8')]
  })
  return {
    head: refs.find(([, name]) => name === head)?.[0] ?? null,
    branches: refs.flatMap(([, name]) => (name.startsWith(heads) ? [name.slice(heads.length)] : [])),
  }
}

/** Sorted like the lines that they are compared with. */
function linesOf({ stdout }: GitOutput, change = (line: string) => line): readonly string[] {
  return stdout.toString('latin1').split('\n').slice(0, -1).map(change).sort()
}

/** Git does not fetch missing objects for a partial clone while it serves a fetch from it. */
function isPartial(error: unknown): boolean {
  return error instanceof DrydockError && /promisor remote|lazy fetching disabled/.test(error.message)
}

function partialClone(repository: string, cause: unknown): DrydockError {
  const message = `${repository} is a partial clone: some files of its commits are missing.`
  return new DrydockError('git_failed', message, { todo: 'git fetch --refetch --no-filter', cause })
}
