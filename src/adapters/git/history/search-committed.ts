import type { Files } from '../../../ports/files.ts'
import type { RunnerReplies, RunnerReply } from '../../../ports/sandbox.ts'
import type { GitOutput } from '../git.ts'
import { globPathspecs } from './glob-pathspecs.ts'
import { noAttributes } from './no-attributes.ts'
import { refused } from './refused.ts'
import { isGitFolder, type Tree } from './tree-path.ts'

type Matches = RunnerReplies['search']['matches']

const mostPatternChars = 10_000
const mostLineChars = 300
/** The limit for git's matches, which come as whole lines in the order of paths. */
const mostBytes = 16 * 1024 ** 2

export async function searchCommitted(
  tree: Tree,
  { pattern, glob, max }: Parameters<Files['search']>[0],
): Promise<RunnerReply<'search'>> {
  const wanted = globPathspecs(glob ?? '')
  if (!wanted.ok) return wanted
  if (/[\0\n]/.test(pattern)) return refused('bad_pattern', 'A pattern is one line, and has no zero in it')
  if (pattern.length > mostPatternChars)
    return refused('bad_pattern', `A pattern has at most ${mostPatternChars} characters`)
  try {
    const { stdout, truncated } = await grep(tree, pattern, wanted.pathspecs)
    const matches = matchesOf(stdout, tree.sha)
    return { ok: true, value: { matches: matches.slice(0, max), truncated: truncated || matches.length > max } }
  } catch (error) {
    const complaint = complaintOf(error)
    if (complaint === null) throw error
    return refused('bad_pattern', complaint)
  }
}

/** Uses Perl's regular expressions, which a git may have been built without. */
async function grep(
  { git, mirror, sha, signal }: Tree,
  pattern: string,
  pathspecs: readonly string[],
): Promise<GitOutput> {
  const plain = ['--no-recurse-submodules', '--no-textconv', '--no-color', '--full-name', '--line-number', '-z', '-I']
  // In a byte locale `.` would match one byte of a letter. The messages stay in English.
  const environment = { ...noAttributes(sha), GIT_LITERAL_PATHSPECS: '0', LC_ALL: 'C.UTF-8' }
  const options = { gitDir: mirror, environment, signal, maxBytes: mostBytes, truncate: true, exits: [1] }
  const run = (kind: string) => git(['grep', ...plain, kind, '-e', pattern, sha, '--', ...pathspecs], options)
  try {
    return await run('--perl-regexp')
  } catch (error) {
    if (error instanceof Error && error.message.includes('cannot use Perl-compatible regexes'))
      return run('--extended-regexp')
    throw error
  }
}

/** The complaint about the pattern; null if something else failed. */
function complaintOf(error: unknown): string | null {
  const said = error instanceof Error ? error.message : ''
  return /fatal: (?:-e option, )?('.*|pcre2_(?:jit_)?match failed.*)/s.exec(said)?.[1] ?? null
}

/**
 * Parses records of `<sha>:<path>`, NUL, line number, NUL, text and a line feed. The last record
 * may be cut. A path may contain line feeds, and a text NULs.
 */
function matchesOf(stdout: Buffer, sha: string): Matches {
  const found: Matches[number][] = []
  for (let start = 0; start < stdout.length; ) {
    const pathEnd = stdout.indexOf(0, start)
    const lineEnd = stdout.indexOf(0, pathEnd + 1)
    const end = stdout.indexOf('\n', lineEnd)
    if (pathEnd === -1 || lineEnd === -1 || end === -1) break
    const path = stdout.toString('utf8', start + sha.length + 1, pathEnd)
    const line = Number(stdout.toString('latin1', pathEnd + 1, lineEnd))
    // A character has at most four bytes.
    const text = stdout.toString('utf8', lineEnd + 1, Math.min(end, lineEnd + 1 + mostLineChars * 4))
    if (!isGitFolder(path)) found.push({ path, line, text: text.replace(/\r$/, '').slice(0, mostLineChars) })
    start = end + 1
  }
  return found
}
