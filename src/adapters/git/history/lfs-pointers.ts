import type { Git } from '../git.ts'
import { rawPaths } from '../raw-path.ts'

/**
 * See Workspaces.lfsPointers. All files are looked through only when the commit's own attributes
 * speak of LFS.
 */
export async function lfsPointers(git: Git, mirror: string, sha: string): Promise<number> {
  const grep = async (args: readonly string[]) => {
    const plain = ['--no-recurse-submodules', '--no-textconv', '--full-name', '-z', '--files-with-matches']
    const options = { gitDir: mirror, exits: [1], environment: { GIT_LITERAL_PATHSPECS: '0' } }
    return rawPaths((await git(['grep', ...plain, ...args], options)).stdout).length
  }
  const declared = await grep(['--fixed-strings', '-e', 'filter=lfs', sha, '--', ':(top,glob)**/.gitattributes'])
  if (declared === 0) return 0
  return grep(['--basic-regexp', '-e', '^version https://git-lfs\\.github\\.com/spec/', sha, '--', ':(top)'])
}
