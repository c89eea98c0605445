import type { Git } from '../git.ts'

/** Copies commits of the mirror, with all objects that they need, to the user's repository. */
export type HandOver = (shas: readonly string[]) => Promise<void>

/** Arguments of a fetch without side effects, whatever the settings of the repository are. */
export const plainFetch = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-prune',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
]
const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'protocol.file.allow=always']

interface Places {
  readonly userGit: Git
  readonly repository: string
  readonly mirror: string
}

/**
 * A receipt is handed over just before its branch, so the second call for the same commits assumes
 * that they are there. A later call fetches them again, since the user may remove objects that no
 * branch holds.
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
 * Hands a commit over and moves a branch to it. Objects that arrived with a receipt may be gone:
 * after a failure with no other cause, both steps are repeated once.
 */
export async function moveTo(
  handOver: HandOver,
  sha: string,
  {
    move,
    isDone,
  }: {
    readonly move: () => Promise<unknown>
    /** Called after a failure; throws if a second attempt is useless. */
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
