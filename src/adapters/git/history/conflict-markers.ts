import type { Git } from '../git.ts'
import { rawPaths, shownPath } from '../raw-path.ts'
import { noAttributes } from './no-attributes.ts'

/** With more paths the whole tree is searched, since an argument list has a maximum length. */
const mostNamed = 1_000

/** Implements History.conflictMarkers. */
export async function conflictMarkers(
  git: Git,
  mirror: string,
  { sha, paths }: { readonly sha: string; readonly paths: readonly string[] },
): Promise<readonly string[]> {
  if (paths.length === 0) return []
  // A name that is not UTF-8 cannot be passed back to git.
  const named = paths.length <= mostNamed && !paths.some((path) => path.includes('\ufffd'))
  const plain = ['--no-recurse-submodules', '--no-textconv', '--full-name', '-z', '--files-with-matches']
  const args = ['grep', ...plain, '--extended-regexp', '-e', '^(<<<<<<<|>>>>>>>) ', sha, '--', ...(named ? paths : [])]
  const { stdout } = await git(args, { gitDir: mirror, environment: noAttributes(sha), exits: [1] })
  const found = new Set(rawPaths(stdout).map((path) => shownPath(path).slice(`${sha}:`.length)))
  return paths.filter((path) => found.has(path))
}
