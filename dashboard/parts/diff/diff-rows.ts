import type { ChangeData, HunkData } from 'react-diff-view'
import type { Side } from '../review/anchor.ts'
import type { PlacedTalk } from '../review/talk.ts'
import { type DiffFile, numbersOf } from './diff-files.ts'

/** Consecutive lines of a file, which are highlighted together. */
export interface Chunk {
  readonly file: DiffFile
  readonly changes: readonly ChangeData[]
}

export interface LineAt {
  readonly chunk: Chunk
  readonly at: number
}

/** Lines that the diff omits. */
export interface Gap {
  /** The first and the last line number after the change; null for the end of the file. */
  readonly start: number
  readonly end: number | null
  /** The old line number minus the new one. */
  readonly offset: number
}

export type Row =
  | { readonly kind: 'file'; readonly key: string; readonly file: DiffFile }
  /** The header of a part of a file, or of its rest. */
  | {
      readonly kind: 'gap'
      readonly key: string
      readonly file: DiffFile
      readonly gap: Gap | null
      readonly head: string
    }
  | ({ readonly kind: 'line'; readonly key: string; readonly file: DiffFile } & LineAt)
  /** A line before and after, side by side. */
  | {
      readonly kind: 'pair'
      readonly key: string
      readonly file: DiffFile
      readonly old: LineAt | null
      readonly new: LineAt | null
    }
  /** A note in place of lines. */
  | { readonly kind: 'note'; readonly key: string; readonly file: DiffFile; readonly text: string }
  /** A comment on lines. */
  | { readonly kind: 'talk'; readonly key: string; readonly file: DiffFile | null; readonly placed: PlacedTalk }

export interface RowOptions {
  readonly isSplit: boolean
  /** True if omitted lines can be fetched. */
  readonly hasContext: boolean
  /** The number of lines of the file, once it is known. */
  readonly total: number | null
}

/** All rows of a file except its header and comments. */
export function rowsOf(file: DiffFile, { isSplit, hasContext, total }: RowOptions): readonly Row[] {
  const { hunks, id, type } = file
  if (hunks.length === 0) return [{ kind: 'note', key: `${id} none`, file, text: noteOn(file) }]
  const isWhole = type === 'add' || type === 'delete'
  const ends = [{ old: 1, new: 1 }, ...hunks.map(endOf)]
  const parts = hunks.map((hunk, i): readonly Row[] => {
    const before = ends[i] ?? { old: 1, new: 1 }
    const start = startOf(hunk)
    const isNext = start.new <= before.new
    const gap = { start: before.new, end: start.new - 1, offset: before.old - before.new }
    const isHeaded = !isWhole && !isNext
    const head = { kind: 'gap', key: `${id} gap ${i}`, file, gap: hasContext ? gap : null, head: hunk.content } as const
    const chunks = chunksOf(file, hunk.changes)
    return [...(isHeaded ? [head] : []), ...(isSplit ? pairsOf : linesOf)(file, chunks, `${id} ${i}`)]
  })
  const last = ends.at(-1) ?? { old: 1, new: 1 }
  const isMore = hasContext && !isWhole && (total === null ? !isAtEnd(hunks) : last.new <= total)
  const rest: Row = {
    kind: 'gap',
    key: `${id} gap end`,
    file,
    head: '',
    gap: { start: last.new, end: total, offset: last.old - last.new },
  }
  return [...parts.flat(), ...unendedNotes(file), ...(isMore ? [rest] : [])]
}

/** Git shows this many lines after a change, if the file has them. */
const contextLines = 3

function isAtEnd(hunks: readonly HunkData[]): boolean {
  const { changes = [] } = hunks.at(-1) ?? {}
  return changes.slice(-contextLines).some(({ type }) => type !== 'normal')
}

function noteOn({ isBinary, type }: DiffFile): string {
  if (isBinary) return 'A binary file.'
  if (type === 'rename') return 'Only its name changed.'
  return type === 'add' || type === 'delete' ? 'An empty file.' : 'Only its mode changed.'
}

function unendedNotes({ id, unended, ...file }: DiffFile): readonly Row[] {
  if (unended.length === 0) return []
  const when =
    unended.length === 2 || file.type === 'add' || file.type === 'delete'
      ? ''
      : unended[0] === 'old'
        ? 'Before the change: '
        : 'After the change: '
  const text = `${when}${when === '' ? 'No' : 'no'} end of line at the end of the file.`
  return [{ kind: 'note', key: `${id} unended`, file: { id, unended, ...file }, text }]
}

/** The first line on each side; on a side without lines it follows the line that git names. */
function startOf({ changes, oldStart, newStart }: HunkData) {
  const first = (side: Side) => changes.find((change) => numbersOf(change)[side] !== null)
  const number = (side: Side) => {
    const change = first(side)
    return change === undefined ? null : numbersOf(change)[side]
  }
  return { old: number('old') ?? oldStart + 1, new: number('new') ?? newStart + 1 }
}

/** The number after the last line on each side. */
function endOf(hunk: HunkData) {
  const count = (side: Side) => hunk.changes.filter((change) => numbersOf(change)[side] !== null).length
  const start = startOf(hunk)
  return { old: start.old + count('old'), new: start.new + count('new') }
}

/**
 * The lines of a chunk; more if a change continues, since replaced text is searched within one
 * chunk.
 */
const chunkLines = { least: 20, most: 40 }

function chunksOf(file: DiffFile, changes: readonly ChangeData[]): readonly Chunk[] {
  const chunks: Chunk[] = []
  let start = 0
  for (let end = 1; end <= changes.length; end += 1) {
    const length = end - start
    const isWhole = length >= chunkLines.least && changes[end]?.type === 'normal'
    if (end < changes.length && !isWhole && length < chunkLines.most) continue
    chunks.push({ file, changes: changes.slice(start, end) })
    start = end
  }
  return chunks
}

function linesOf(file: DiffFile, chunks: readonly Chunk[], key: string): readonly Row[] {
  return chunks.flatMap((chunk, n) =>
    chunk.changes.map((_, at): Row => ({ kind: 'line', key: `${key} ${n} ${at}`, file, chunk, at })),
  )
}

/** Puts removed lines beside the added ones that replace them. */
function pairsOf(file: DiffFile, chunks: readonly Chunk[], key: string): readonly Row[] {
  const rows: Row[] = []
  let removed: LineAt[] = []
  let added: LineAt[] = []
  const push = (old: LineAt | null, now: LineAt | null) =>
    rows.push({ kind: 'pair', key: `${key} ${rows.length}`, file, old, new: now })
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i += 1) push(removed[i] ?? null, added[i] ?? null)
    removed = []
    added = []
  }
  for (const chunk of chunks) {
    for (const [at, change] of chunk.changes.entries()) {
      const line = { chunk, at }
      if (change.type === 'insert') added.push(line)
      else if (change.type === 'delete') {
        if (added.length > 0) flush()
        removed.push(line)
      } else {
        flush()
        push(line, line)
      }
    }
  }
  flush()
  return rows
}

/** The line number of a row on one side; null for a row without one. */
export function lineOn(row: Row | undefined, side: Side): number | null {
  if (row?.kind !== 'line' && row?.kind !== 'pair') return null
  const line = row.kind === 'line' ? row : row[side]
  const change = line?.chunk.changes[line.at]
  return change === undefined ? null : numbersOf(change)[side]
}

/** The rows with comments, at their lines or below the file's header. */
export function withTalk(rows: readonly Row[], file: DiffFile, talk: readonly PlacedTalk[]): readonly Row[] {
  if (talk.length === 0) return rows
  const rowOf = (placed: PlacedTalk): Row => ({ kind: 'talk', key: placed.talk.key, file, placed })
  const at = Map.groupBy(talk, ({ talk: { anchor }, place }) =>
    place.at === 'lines' ? `${anchor.side} ${place.end}` : '',
  )
  const above = at.get('') ?? []
  at.delete('')
  const below = rows.flatMap((row): readonly Row[] => {
    const sides = ['old', 'new'] as const
    const here = sides.flatMap((side) => {
      const key = `${side} ${lineOn(row, side)}`
      const found = at.get(key) ?? []
      at.delete(key)
      return found
    })
    return here.length === 0 ? [row] : [row, ...here.map(rowOf)]
  })
  return [...above.map(rowOf), ...below]
}

/** The old line number minus the new one, for lines that the diff omits. */
export function offsetAt({ hunks }: DiffFile, side: Side, line: number): number {
  const before = hunks.map(endOf).findLast((end) => end[side] <= line)
  return before === undefined ? 0 : before.old - before.new
}
