import type { Git, GitOptions } from '../git.ts'
import { keepFirstPack } from './first-pack.ts'

/**
 * Fetches one commit of the mirror, its history and the tags in it, and nothing that only other
 * refs of the mirror can reach.
 */
export async function fetchCommit(
  git: Git,
  from: { readonly mirror: string; readonly sha: string },
  to: { readonly gitDir: string; readonly ref: string; readonly options: Pick<GitOptions, 'signal' | 'spawned'> },
): Promise<void> {
  const quiet = ['--quiet', '--no-auto-maintenance', '--no-write-fetch-head', '--no-recurse-submodules']
  const place = ['--update-head-ok', '--update-shallow', from.mirror, `+${from.sha}:${to.ref}`]
  // Not flushed to disk, since fetched objects can be fetched again.
  const configured = ['-c', 'core.fsync=none', ...(await keepFirstPack(to.gitDir))]
  await git([...configured, 'fetch', ...quiet, ...place], { ...to.options, gitDir: to.gitDir })
}
