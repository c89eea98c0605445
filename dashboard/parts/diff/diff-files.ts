import { type ChangeData, type FileData, parseDiff } from 'react-diff-view'

/** Some lines of a file that follow one another: they get their colours together. */
export interface Chunk {
  readonly file: FileData
  readonly changes: readonly ChangeData[]
}

export type Row =
  | { readonly kind: 'file'; readonly key: string; readonly file: DiffFile }
  /** Where a part of a file begins. */
  | { readonly kind: 'hunk'; readonly key: string; readonly content: string }
  | { readonly kind: 'line'; readonly key: string; readonly chunk: Chunk; readonly at: number }
  /** What stands in place of lines. */
  | { readonly kind: 'note'; readonly key: string; readonly text: string }

export interface DiffFile {
  /** Its part of the diff, as it came. */
  readonly text: string
  readonly path: string
  /** Before it was renamed. */
  readonly from: string | null
  readonly type: FileData['type']
  readonly added: number
  readonly removed: number
  /** All but its head. */
  readonly rows: readonly Row[]
}

/** Lines of a chunk, more where a change goes on: what replaces what is found within one. */
const chunkLines = { least: 20, most: 40 }

/**
 * The files of a unified diff as git writes it; null for any other text. A file that is known with
 * the same text is taken over, so that an update costs what has changed.
 */
export function diffFiles(diff: string, known: ReadonlyMap<string, DiffFile>): readonly DiffFile[] | null {
  // Only a line feed begins a line for git: a file may hold anything else.
  const starts = [...diff.matchAll(/(?<![^\n])diff --git /g)].map(({ index }) => index)
  if (starts.length === 0) return null
  const texts = starts.map((start, i) => diff.slice(start, starts[i + 1]))
  const files = texts.map((text) => known.get(text) ?? readFile(text))
  return files.includes(null) ? null : files.flatMap((file) => file ?? [])
}

function readFile(text: string): DiffFile | null {
  const [file] = parsed(text)
  if (file === undefined) return null
  const path = file.type === 'delete' ? file.oldPath : file.newPath
  const changes = file.hunks.flatMap((hunk) => hunk.changes)
  const chunked = file.hunks.flatMap((hunk, i): readonly Row[] => [
    { kind: 'hunk', key: `${path} ${i}`, content: hunk.content },
    ...chunksOf(file, hunk.changes).flatMap((chunk, n) =>
      chunk.changes.map((_, at): Row => ({ kind: 'line', key: `${path} ${i} ${n} ${at}`, chunk, at })),
    ),
  ])
  const nothing = file.isBinary ? 'A binary file.' : 'Only its name or its mode changed.'
  return {
    ...{ text, path, type: file.type, from: file.type === 'rename' ? file.oldPath : null },
    added: changes.filter(({ type }) => type === 'insert').length,
    removed: changes.filter(({ type }) => type === 'delete').length,
    rows: chunked.length > 0 ? chunked : [{ kind: 'note', key: `${path} none`, text: nothing }],
  }
}

function parsed(text: string): readonly FileData[] {
  try {
    return parseDiff(text)
  } catch {
    return []
  }
}

function chunksOf(file: FileData, changes: readonly ChangeData[]): readonly Chunk[] {
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
