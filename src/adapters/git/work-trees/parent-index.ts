import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git, GitOptions } from '../git.ts'
import { terminated } from '../raw-path.ts'
import { unlessMissing } from '../unless-missing.ts'
import { eachFound } from './find.ts'
import type { WorkTree } from './move-work-tree.ts'

type Run = (args: readonly string[], input?: string) => ReturnType<Git>

/**
 * Makes the index hold `parent`, such that git reads again every file that is not, or later will
 * not be, what the parent has.
 *
 * Git compares times by the second, so a program can put back all that it compares within the
 * second. Files touched since the stamp are therefore made unknown to the index, and the mark says
 * when. Once the mark is of a later second than the stamp nothing needs to be done any more: what
 * is touched after the mark has a change time of the mark's second or a later one, which no program
 * can set, and the index knows only change times from before the stamp.
 */
export async function keepParentInIndex(
  git: Git,
  { gitDir, workTree, stamp }: WorkTree,
  { parent, options }: { readonly parent: string; readonly options: Pick<GitOptions, 'signal' | 'spawned'> },
): Promise<void> {
  const mark = join(gitDir, 'drydock-parent')
  const index = join(gitDir, 'index')
  const run: Run = (args, input = '') =>
    git(args, { ...options, gitDir, workTree, input: Buffer.from(input, 'latin1') })
  const [stamped, marked, there] = await Promise.all([stamp, mark, index].map(secondOf))
  const lasts = there != null && stamped != null && marked != null && marked > stamped
  if (lasts && (await readFile(mark, 'utf8')) === parent) return
  await rm(mark, { force: true })
  if (stamped == null) await rm(index, { force: true })
  await run(['read-tree', '--reset', parent])
  if (stamped != null) await distrust(run, (onFound) => touchedSince(stamp, workTree, { onFound, ...options }))
  await writeFile(mark, parent)
}

async function secondOf(file: string): Promise<number | null> {
  const found = await unlessMissing(stat(file))
  return found && Math.floor(found.mtimeMs / 1_000)
}

type OnFound = (path: string) => void

function touchedSince(
  stamp: string,
  workTree: string,
  { onFound, signal }: Pick<GitOptions, 'signal'> & { readonly onFound: OnFound },
): Promise<void> {
  const expression = ['-path', './.git', '-prune', '-o', '!', '-type', 'd', '-cnewer', stamp, '-print0']
  return eachFound(workTree, expression, { onFound: (path) => onFound(path.slice('./'.length)), signal })
}

/** Makes git read these files again, whatever their times and sizes say. */
async function distrust(run: Run, eachTouched: (onFound: OnFound) => Promise<void>) {
  const lines = (await run(['ls-files', '-z', '--stage'])).stdout.toString('latin1').split('\0')
  const entries = new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line]))
  const doubted = new Set<string>()
  await eachTouched((path) => {
    const line = entries.get(path)
    if (line) doubted.add(line)
  })
  if (doubted.size > 0) await run(['update-index', '-z', '--index-info'], terminated([...doubted]))
}
