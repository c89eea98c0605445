import type { Git, GitOptions } from '../git.ts'
import { rawPaths, shownPath } from '../raw-path.ts'

export interface Gitlink {
  readonly path: string
  readonly commit: string
}

/**
 * The submodule entries of a commit, by path. A name that is not UTF-8 cannot be passed on and is
 * left out.
 */
export async function gitlinks(
  git: Git,
  options: Pick<GitOptions, 'gitDir' | 'signal' | 'spawned'>,
  sha: string,
): Promise<readonly Gitlink[]> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', sha], options)
  return rawPaths(stdout).flatMap((entry) => {
    if (!entry.startsWith('160000 ')) return []
    const tab = entry.indexOf('\t')
    const raw = entry.slice(tab + 1)
    const path = shownPath(raw)
    if (Buffer.from(path).toString('latin1') !== raw) return []
    return [{ path, commit: entry.slice('160000 commit '.length, tab) }]
  })
}
