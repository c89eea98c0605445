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
 * Lines of a file as a commit has it, for those that a diff leaves out. DrydockError `not_found`
 * where the tree has no such file, `bad_usage` where it is no text or too much is asked for.
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
  // Of the file as a whole: one line of a key does not look like one.
  const all = sources.redact(bytes.toString('utf8')).split('\n')
  if (all.at(-1) === '') all.pop()
  return { start, lines: all.slice(start - 1, end), total: all.length }
}
