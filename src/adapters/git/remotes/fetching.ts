import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { Remotes } from '../../../ports/remotes.ts'
import type { Git } from '../git.ts'
import type { GitParts } from '../git-parts.ts'
import { notesRef } from '../publisher/note.ts'

const quiet = ['--quiet', '--no-tags', '--no-prune', '--no-write-fetch-head', '--no-auto-maintenance']

/** Fetches from remotes, with the user's configuration and without hooks. */
export function createFetching(
  remoteGit: Git,
  { userGit, repository }: Pick<GitParts, 'userGit' | 'repository'>,
): Pick<Remotes, 'first' | 'fetchReceipts' | 'fetchBranch'> {
  const fetch = (remote: string, refspec: string) => {
    const args = ['-c', 'core.hooksPath=/dev/null', 'fetch', ...quiet, '--no-recurse-submodules']
    const signal = AbortSignal.timeout(limits.ci.fetchMs)
    return remoteGit([...args, '--end-of-options', remote, refspec], { workTree: repository, signal })
  }
  return {
    async first() {
      const names = (await userGit(['remote'], { workTree: repository })).stdout.toString('utf8').split('\n')
      return names.find((name) => name === 'origin') ?? names.find(Boolean) ?? null
    },

    async fetchReceipts(remote) {
      try {
        await fetch(remote, `${notesRef}:${notesRef}`)
        return { ok: true }
      } catch (error) {
        const said = saidBy(error)
        if (/couldn't find remote ref|could not find remote ref/i.test(said)) return { ok: false, why: 'none', said }
        return { ok: false, why: /\[rejected\]|non-fast-forward/.test(said) ? 'ahead' : 'failed', said }
      }
    },

    async fetchBranch(remote, branch) {
      try {
        await fetch(remote, `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`)
      } catch (error) {
        throw new DrydockError(
          'git_failed',
          `The branch ${branch} cannot be fetched from ${remote}. ${saidBy(error)}`,
          {
            todo: `Let the checkout fetch it, or name its commit: drydock ci --base <commit>`,
            cause: error,
          },
        )
      }
    },
  }
}

function saidBy(error: unknown): string {
  // CI systems put tokens into the URLs of remotes.
  if (error instanceof DrydockError && error.code === 'git_failed')
    return error.message.replaceAll(/\/\/[^/\s@]*@/g, '//')
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'The remote did not answer in time.'
  throw error
}
