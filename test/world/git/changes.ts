import type { ChangedFile, LineCount } from '../../../src/ports/history.ts'
import { type Entry, isText, type Tree, textOf } from '../objects.ts'
import { lineOps, linesOf } from './lines.ts'
import { mostAlike, pairsBetween } from './renames.ts'

/** The similarity of both sides of a rename, in whole per cent, as git shows it. */
export const percentOf = (alike: number): number => Math.floor((alike * 100) / mostAlike)

/** See History.changedFiles. */
export function changedFiles(before: Tree, after: Tree): readonly ChangedFile[] {
  return pairsBetween(before, after).map((pair): ChangedFile => {
    const { from, to: path, alike } = pair
    if (alike !== null)
      return { path, status: 'renamed', from, ...(percentOf(alike) < 100 && ({ edited: true } as const)) }
    if (pair.before === undefined) return { path, status: 'added' }
    return { path, status: pair.after === undefined ? 'deleted' : 'modified' }
  })
}

/** See History.lineCounts. */
export function lineCounts(before: Tree, after: Tree): ReadonlyMap<string, LineCount | null> {
  return new Map(pairsBetween(before, after).map((pair) => [pair.to, countOf(pair.before, pair.after)]))
}

function countOf(before: Entry | undefined, after: Entry | undefined): LineCount | null {
  if ([before, after].some((entry) => entry !== undefined && !isText(entry))) return null
  if (before === undefined || after === undefined) {
    const count = (entry: Entry | undefined) => (entry === undefined ? 0 : linesOf(textOf(entry)).length)
    return { added: count(after), removed: count(before) }
  }
  const ops = lineOps(textOf(before), textOf(after))
  return { added: ops.filter(([op]) => op === 1).length, removed: ops.filter(([op]) => op === -1).length }
}
