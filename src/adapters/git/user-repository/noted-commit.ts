import { userEnvironment } from '../environment.ts'
import { createGit } from '../git.ts'
import { notesRef } from '../publisher/note.ts'
import { objectId } from '../revision.ts'
import { findRepository } from './find-repository.ts'
import { remoteOf } from './remote-of.ts'
import { createUserReads } from './user-reads.ts'

interface NotedCommit {
  readonly commit: string
  /**
   * The tree that git shows for the commit; it differs from the commit's own tree if a replacement
   * is in force.
   */
  readonly tree: string
  /** Null if the commit has no note. */
  readonly note: { readonly text: string; readonly truncated: boolean } | null
  /**
   * A remote of the repository: the one of its branch, or `origin`, or another; null if there are
   * none.
   */
  readonly remote: string | null
}

/**
 * A commit of any repository of the user with its note, read without a state; nothing is fetched.
 * Throws DrydockError `not_a_repository` or `unknown_revision`.
 */
export async function notedCommit(
  directory: string,
  { revision, maxBytes }: { readonly revision: string; readonly maxBytes: number },
  environment: NodeJS.ProcessEnv,
): Promise<NotedCommit> {
  const repository = await findRepository(directory, environment)
  const git = createGit({ ...userEnvironment(environment), GIT_NO_LAZY_FETCH: '1' })
  const { sha: commit } = await createUserReads(git, repository).target(revision)
  const run = (args: readonly string[], exits: readonly number[] = []) => git(args, { workTree: repository, exits })
  const tree = objectId((await run(['rev-parse', '--verify', `${commit}^{tree}`])).stdout)
  const { stdout } = await run(['notes', `--ref=${notesRef}`, 'list', commit], [1])
  const blob = stdout.toString('latin1').trim()
  // The noted object need not be a file.
  const options = { workTree: repository, maxBytes, truncate: true, exits: [128] }
  const read = blob === '' ? null : await git(['cat-file', 'blob', blob], options)
  const note = read && { text: read.stdout.toString('utf8'), truncated: read.truncated }
  return { commit, tree, note, remote: await remoteOf(run) }
}
