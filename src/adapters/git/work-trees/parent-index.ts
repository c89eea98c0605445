import { rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git, GitOptions } from '../git.ts'
import { entriesAt } from '../history/contents.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder } from '../objects/tree-entries.ts'
import { type RawPath, terminated } from '../raw-path.ts'
import { unlessMissing } from '../unless-missing.ts'
import { inIndex } from './last-move.ts'
import type { WorkTree } from './move-work-tree.ts'

interface Parent {
  readonly parent: string
  /** Files that were touched since the stamp; null if there are too many to list. */
  readonly touched: readonly RawPath[] | null
  /** A time in milliseconds before any other file was touched. */
  readonly seenAt: number
  readonly options: Pick<GitOptions, 'signal' | 'spawned'>
}

/**
 * Makes the index hold `parent`, so that git rereads every file that differs from the parent, now
 * or later.
 *
 * Git compares times by the second, so a program can restore everything that git compares within
 * that second. Files touched since the stamp are therefore removed from the index, and the mark
 * records when. Once the mark's second is later than the stamp's, nothing more is needed: a file
 * touched after the mark has a change time in the mark's second or later, which no program can set,
 * and the index holds only change times from before the stamp.
 */
export async function keepParentInIndex(
  { git, objects }: { readonly git: Git; readonly objects: ReadObject },
  { gitDir, workTree, stamp }: WorkTree,
  { parent, touched, seenAt, options }: Parent,
): Promise<void> {
  const held = inIndex(gitDir)
  const mark = join(gitDir, 'drydock-parent')
  const index = join(gitDir, 'index')
  const [stamped, marked, there] = await Promise.all([stamp, mark, index].map(secondOf))
  const isHeld = there != null && stamped != null && (await held.read()) === parent
  if (isHeld && marked != null && marked > stamped) return
  await held.forget()
  // An index without the times of its files is not trusted.
  const isDoubted = stamped == null || touched === null
  if (isDoubted) await rm(index, { force: true })
  if (isDoubted || !isHeld) await git(['read-tree', '--reset', parent], { ...options, gitDir, workTree })
  if (!isDoubted && touched.length > 0) {
    const known = await entriesAt(objects, { sha: parent, paths: touched, signal: options.signal })
    const lines = [...known].flatMap(([path, { mode, id }]) => (isFolder(mode) ? [] : [`${mode} ${id} 0\t${path}`]))
    const input = Buffer.from(terminated(lines), 'latin1')
    if (lines.length > 0) await git(['update-index', '-z', '--index-info'], { ...options, gitDir, workTree, input })
  }
  await held.remember(parent)
  await utimes(mark, seenAt / 1_000, seenAt / 1_000)
}

async function secondOf(file: string): Promise<number | null> {
  const found = await unlessMissing(stat(file))
  return found && Math.floor(found.mtimeMs / 1_000)
}
