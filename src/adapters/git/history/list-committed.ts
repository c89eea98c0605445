import type { RunnerReply } from '../../../ports/sandbox.ts'
import { shownPath } from '../raw-path.ts'
import { emptyTree } from '../revision.ts'
import { globPathspecs } from './glob-pathspecs.ts'
import { isGitFolder, type Tree } from './tree-path.ts'

/** The limit for git's list of files, which takes about 150 bytes per file. */
const mostBytes = 64 * 1024 ** 2

export async function listCommitted(
  { git, mirror, sha, signal }: Tree,
  glob: string,
  max: number,
): Promise<RunnerReply<'list'>> {
  const wanted = globPathspecs(glob)
  if (!wanted.ok) return wanted
  // A diff against the empty tree, since git's plain listing of a tree takes no globs.
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', emptyTree(sha), sha, '--', ...wanted.pathspecs]
  const environment = { GIT_LITERAL_PATHSPECS: '0' }
  const options = { gitDir: mirror, environment, signal, maxBytes: mostBytes, truncate: true }
  const { stdout, truncated } = await git(args, options)
  const fields = stdout.toString('latin1').split('\0').slice(0, -1)
  const paths = fields
    .filter((_, i) => i % 2 === 1 && fields[i - 1]?.startsWith(':000000 100'))
    .map(shownPath)
    .filter((path) => !isGitFolder(path))
  return { ok: true, value: { paths: paths.slice(0, max), truncated: truncated || paths.length > max } }
}
