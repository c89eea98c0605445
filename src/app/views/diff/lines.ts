import type { Lines } from '../../../api/lines.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { repositoryOf, runIn } from '../../../domain/run/repositories.ts'
import { sentence } from '../../../domain/sentence.ts'
import { usage } from '../../usage.ts'
import { findRun, type ViewSources } from '../view-sources.ts'
import { checkCommit } from './check-commit.ts'

interface WantedLines {
  readonly story?: string | undefined
  readonly sha: string
  readonly path: string
  readonly start: number
  readonly end: number
}

/**
 * Lines of a file at a commit, for the parts that a diff leaves out. Throws DrydockError
 * `not_found` if the commit has no such file, and `bad_usage` if the file is binary or too many
 * lines are requested.
 */
export async function readLines(
  sources: Pick<ViewSources, 'records' | 'history'> & { readonly redact: (text: string) => string },
  runId: string,
  { story: name, sha, path, start, end }: WantedLines,
): Promise<Lines> {
  const most = limits.dashboard.fileLines
  if (end < start || end - start >= most) throw usage(`At most ${most} lines are given at once.`, 'Ask for fewer.')
  const run = await findRun(sources, runId)
  const story = name === undefined ? null : await sources.records.machineOf('story', `${run.id}/${name}`)
  await checkCommit(sources, story === null ? run : runIn(run, repositoryOf(story)), sha)
  const read = await sources.history.committed(sha).read(path, limits.fileBytes, AbortSignal.timeout(30_000))
  if (!read.ok) {
    const todo = 'Name a file of the commit.'
    throw new DrydockError('not_found', sentence`The file cannot be shown: ${read.message}.`, { todo })
  }
  const bytes = Buffer.from(read.value.base64, 'base64')
  if (bytes.includes(0)) throw usage('The file is no text.', 'Name a file of text.')
  // Redacts the whole file, since a single line of a private key does not look like a secret.
  const all = sources.redact(bytes.toString('utf8')).split('\n')
  if (all.at(-1) === '') all.pop()
  return { start, lines: all.slice(start - 1, end), total: all.length }
}
