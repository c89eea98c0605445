import { createHash } from 'node:crypto'
import { mkdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { nameOfUrl } from '../../../domain/run/repository-url.ts'
import type { Git } from '../git.ts'
import type { GitParts } from '../git-parts.ts'
import { leftLocked, removeRefLocks } from '../history/left-locks.ts'
import type { OnSpawn } from '../lock.ts'
import { objectId } from '../revision.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeLocks } from '../work-trees/move-work-tree.ts'
import { removeTree } from '../work-trees/remove-tree.ts'

/** Returns the folder of the clone of a URL, at the newest commit of its default branch. */
export type KeepClone = (url: string) => Promise<string>

type Parts = Pick<GitParts, 'layout' | 'lock'>

/** The branches of the remote and its HEAD. */
const refspecs = ['+refs/heads/*:refs/remotes/origin/*', '+HEAD:refs/drydock/remote-head']

/**
 * Keeps clones, without work trees, of repositories that are named by URL. HEAD is detached, so
 * that the only branches of a clone are those that Drydock makes there.
 */
export function createClones({ layout, lock }: Parts, remoteGit: Git): KeepClone {
  return async (url) => {
    const hash = createHash('sha256').update(url).digest('hex').slice(0, 12)
    const folder = join(layout.repositories, `${folderName(url)}-${hash}`)
    const signal = AbortSignal.timeout(limits.cloneMs)
    await lock(`clone-${hash}`, signal, async (spawned) => {
      const talking = { remoteGit, url, signal, spawned }
      try {
        const isThere = (await unlessMissing(stat(folder))) !== null
        await (isThere ? refresh(folder, talking) : clone(folder, talking))
      } catch (error) {
        throw unreachable(url, error)
      }
    })
    return folder
  }
}

interface Talking {
  readonly remoteGit: Git
  readonly url: string
  readonly signal: AbortSignal
  readonly spawned: OnSpawn
}

/** Clones atomically: the folder is either whole or absent. */
async function clone(folder: string, talking: Talking): Promise<void> {
  const { remoteGit, url, signal, spawned } = talking
  const fresh = `${folder}.new`
  await removeTree(fresh)
  await mkdir(fresh, { recursive: true })
  const quiet = ['--quiet', '--no-checkout', '--no-tags', '--template=', '--origin=origin', '--no-recurse-submodules']
  const settings = ['--config=core.hooksPath=/dev/null', '--config=gc.auto=0', '--config=maintenance.auto=false']
  await remoteGit(['clone', ...quiet, ...settings, '--end-of-options', url, fresh], { signal, spawned })
  await refresh(fresh, talking)
  const gitDir = join(fresh, '.git')
  const { stdout } = await remoteGit(['for-each-ref', '--format=delete %(refname)', 'refs/heads/'], { gitDir })
  await remoteGit(['update-ref', '--stdin'], { gitDir, input: stdout })
  await rename(fresh, folder)
}

/** Keeps Drydock's branches and everything that the user has in the clone. */
async function refresh(folder: string, talking: Talking): Promise<void> {
  const gitDir = join(folder, '.git')
  try {
    await update(gitDir, talking)
  } catch (error) {
    if (!leftLocked(error)) throw error
    await removeLocks(gitDir)
    await removeRefLocks(gitDir, ['remotes', 'drydock'])
    await update(gitDir, talking)
  }
}

async function update(gitDir: string, { remoteGit, signal, spawned }: Talking): Promise<void> {
  const quiet = ['--quiet', '--prune', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance']
  const fetch = ['-c', 'core.hooksPath=/dev/null', 'fetch', ...quiet, '--no-recurse-submodules', 'origin', ...refspecs]
  await remoteGit(fetch, { gitDir, signal, spawned })
  const { stdout } = await remoteGit(['rev-parse', '--verify', 'refs/drydock/remote-head^{commit}'], { gitDir })
  await remoteGit(['update-ref', '--no-deref', 'HEAD', objectId(stdout)], { gitDir })
}

function folderName(url: string): string {
  return nameOfUrl(url)
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 64)
}

function unreachable(url: string, error: unknown): unknown {
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
  if (!isTimeout && !(error instanceof DrydockError && error.code === 'git_failed')) return error
  // The user's configuration can replace a URL by one with a password.
  const said = isTimeout ? 'It did not answer in time.' : error.message.replaceAll(/\/\/[^/\s@]*@/g, '//')
  const isEmpty = /couldn't find remote ref HEAD/i.test(said)
  return new DrydockError(
    isEmpty ? 'no_commits' : 'git_failed',
    isEmpty
      ? `The repository ${url}, which the spec names, has no commits on its default branch.`
      : `The repository ${url}, which the spec names, cannot be fetched. ${said}`,
    {
      todo: isEmpty
        ? 'Push a first commit there, with its configuration (drydock init).'
        : `Try the same yourself: git ls-remote ${JSON.stringify(url)}. Or name the path of a clone in the spec.`,
      cause: error,
    },
  )
}
