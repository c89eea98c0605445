import type { Git } from '../git.ts'

/** Gives the user's repository commits of the mirror with all that they need. */
export type HandOver = (shas: readonly string[]) => Promise<void>

/** A fetch that does nothing else, whatever the settings of the repository are. */
export const plainFetch = [
  ...['fetch', '--quiet', '--no-tags', '--no-prune', '--no-write-fetch-head', '--no-auto-maintenance'],
  '--no-recurse-submodules',
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
    await userGit([...settings, ...plainFetch, '--update-shallow', mirror, ...shas], { workTree: repository })
    for (const sha of shas) given.add(sha)
  }
}

/**
 * Hands a commit over and moves a branch to it. What came with a receipt may be gone again: where
 * that fails and nothing else is the matter, both are done once more.
 */
export async function moveTo(
  handOver: HandOver,
  sha: string,
  {
    move,
    isDone,
  }: {
    readonly move: () => Promise<unknown>
    /** Asked after a failure; throws where nothing can be done. */
    readonly isDone: () => Promise<boolean>
  },
): Promise<void> {
  await handOver([sha])
  try {
    await move()
  } catch {
    if (await isDone()) return
    await handOver([sha])
    await move()
  }
}
