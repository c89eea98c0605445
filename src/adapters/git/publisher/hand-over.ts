import type { Git } from '../git.ts'

/** Gives the user's repository commits of the mirror with all that they need. */
export type HandOver = (shas: readonly string[]) => Promise<void>

const quiet = [
  ...['--quiet', '--no-tags', '--no-prune', '--no-write-fetch-head', '--no-auto-maintenance'],
  ...['--no-recurse-submodules', '--update-shallow'],
]
const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'protocol.file.allow=always']

interface Places {
  readonly userGit: Git
  readonly repository: string
  readonly mirror: string
}

/**
 * A receipt comes just before its branch: what was handed over is taken to be there once, and
 * fetched the next time, since the user may remove what no branch has.
 */
export function createHandOver({ userGit, repository, mirror }: Places): HandOver {
  const given = new Set<string>()
  return async (shas) => {
    const isGiven = shas.every((sha) => given.has(sha))
    for (const sha of shas) given.delete(sha)
    if (isGiven) return
    await userGit([...settings, 'fetch', ...quiet, mirror, ...shas], { workTree: repository })
    for (const sha of shas) given.add(sha)
  }
}
