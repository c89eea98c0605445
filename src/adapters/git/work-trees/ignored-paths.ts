import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Git, GitOptions } from '../git.ts'
import { type RawPath, rawPaths, terminated } from '../raw-path.ts'

/**
 * The paths that git ignores in the work tree. A path that git cannot judge, for example below a
 * link, counts as not ignored.
 */
export async function ignoredPaths(
  git: Git,
  place: Pick<GitOptions, 'gitDir' | 'workTree' | 'signal'>,
  paths: readonly RawPath[],
): Promise<readonly RawPath[]> {
  if (paths.length === 0) return []
  // The prefix keeps git from reading a name as pathspec magic; this command does not support
  // literal pathspecs.
  const input = Buffer.from(terminated(paths.map((path) => `./${path}`)), 'latin1')
  const options = { ...place, input, environment: { GIT_LITERAL_PATHSPECS: '0' }, exits: [1] }
  try {
    const { stdout } = await git(['check-ignore', '-z', '--stdin'], options)
    return rawPaths(stdout).map((path) => path.slice('./'.length))
  } catch (error) {
    if (!(error instanceof DrydockError && unjudged.test(error.message))) throw error
    if (paths.length === 1) return []
    const half = Math.ceil(paths.length / 2)
    const parts = [paths.slice(0, half), paths.slice(half)]
    return (await Promise.all(parts.map((part) => ignoredPaths(git, place, part)))).flat()
  }
}

const unjudged = /is beyond a symbolic link|is in submodule|is outside repository|empty string is not a valid pathspec/
