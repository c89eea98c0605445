import { type DiffFile, numbersOf } from '../diff/diff-files.ts'

export type Side = 'old' | 'new'

/** The subject of a comment. */
export interface Anchor {
  /** Null for the whole change. */
  readonly path: string | null
  readonly side: Side
  /** Null for the whole file. */
  readonly start: number | null
  readonly end: number | null
  /** The part of the diff that was shown, up to and including these lines. */
  readonly hunk: string | null
}

/**
 * The current position of a comment: at lines, which may have moved; at its file; at lines that the
 * diff omits; or beside the file, because its lines have changed.
 */
export type Placement =
  | { readonly at: 'lines'; readonly start: number; readonly end: number }
  | { readonly at: 'file' }
  | { readonly at: 'hidden'; readonly start: number; readonly end: number }
  | { readonly at: 'outdated'; readonly isGone: boolean }

export function isIn(file: DiffFile, { path, side }: Anchor): boolean {
  return file.path === path || (side === 'old' && file.from === path)
}

type Lines = ReadonlyMap<number, string>

const known = new WeakMap<DiffFile, Readonly<Record<Side, Lines>>>()

function linesOf(file: DiffFile): Readonly<Record<Side, Lines>> {
  const before = known.get(file)
  if (before) return before
  const sides = { old: new Map<number, string>(), new: new Map<number, string>() }
  for (const change of file.hunks.flatMap((hunk) => hunk.changes)) {
    const numbers = numbersOf(change)
    if (numbers.old !== null) sides.old.set(numbers.old, change.content)
    if (numbers.new !== null) sides.new.set(numbers.new, change.content)
  }
  known.set(file, sides)
  return sides
}

export function placeIn(file: DiffFile, anchor: Anchor): Placement {
  const { start, end, side } = anchor
  if (start === null) return { at: 'file' }
  const last = end ?? start
  const lines = linesOf(file)[side]
  const said = saidAbout(anchor)
  if (said === null) return { at: lines.has(last) ? 'lines' : 'hidden', start, end: last }
  const isThere = (first: number) => said.lines.every((line, i) => lines.get(first + i) === line)
  if (isThere(start)) return { at: 'lines', start, end: last }
  const moved = nearest([...lines.keys()].filter(isThere), start)
  if (moved !== null) return { at: 'lines', start: moved, end: moved + last - start }
  // Unchanged context lines may merely be outside the shown diff.
  return said.isContext && !lines.has(start) ? { at: 'hidden', start, end: last } : { at: 'outdated', isGone: false }
}

function nearest(all: readonly number[], wanted: number): number | null {
  return all.reduce<number | null>(
    (best, each) => (best === null || Math.abs(each - wanted) < Math.abs(best - wanted) ? each : best),
    null,
  )
}

/** The lines of the new file that a comment is about, for a suggestion; null if there are none. */
export function linesAt(anchor: Anchor): readonly string[] | null {
  return anchor.side === 'new' ? (saidAbout(anchor)?.lines ?? null) : null
}

/** The lines at the time of the comment; null if they were not stored. */
function saidAbout({
  start,
  end,
  side,
  hunk,
}: Anchor): { readonly lines: string[]; readonly isContext: boolean } | null {
  if (hunk === null || start === null) return null
  const count = (end ?? start) - start + 1
  const other = side === 'new' ? '-' : '+'
  const own = hunk.split('\n').filter((line) => /^[ +-]/.test(line) && !line.startsWith(other))
  if (own.length < count) return null
  const last = own.slice(-count)
  return { lines: last.map((line) => line.slice(1)), isContext: last.every((line) => line.startsWith(' ')) }
}

const contextLines = 3
const signs = { insert: '+', delete: '-', normal: ' ' } as const

/** The shown lines up to the last commented one, with some context before the first, as a diff. */
export function hunkAt(file: DiffFile, { side, start, end }: Anchor, maxChars: number): string | null {
  if (start === null) return null
  for (const { changes } of file.hunks) {
    const last = changes.findIndex((change) => numbersOf(change)[side] === (end ?? start))
    if (last === -1) continue
    const first = changes.findIndex((change) => numbersOf(change)[side] === start)
    const shown = changes.slice(Math.max(0, (first === -1 ? last : first) - contextLines), last + 1)
    return shown
      .map(({ type, content }) => `${signs[type]}${content}`)
      .join('\n')
      .slice(-maxChars)
  }
  return null
}

export function linesText({ start, end, side }: Pick<Anchor, 'start' | 'end' | 'side'>): string {
  if (start === null) return 'the whole file'
  const lines = end === null || end === start ? `line ${start}` : `lines ${start} to ${end}`
  return side === 'old' ? `${lines} before the change` : lines
}
