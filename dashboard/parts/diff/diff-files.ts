import { type ChangeData, type HunkData, parseDiff } from 'react-diff-view'
import { type DiffHead, diffHead } from './diff-head.ts'

export interface DiffFile extends DiffHead {
  /** The unchanged part of the diff. */
  readonly text: string
  /** The repository of the file, if the Run has several. */
  readonly repository: string | null
  /** Identifies the file in its diff. */
  readonly id: string
  /**
   * A version that is equal whenever the content before and after is equal, whatever surrounds the
   * file.
   */
  readonly version: string
  readonly added: number
  readonly removed: number
  readonly hunks: HunkData[]
  /** The sides whose last line has no line feed. */
  readonly unended: readonly ('old' | 'new')[]
}

/**
 * The files of a unified diff in git's format; null for any other text. A known file with the same
 * text is reused, so that the cost of an update depends on the change.
 */
export function diffFiles(diff: string, known: ReadonlyMap<string, DiffFile>): readonly DiffFile[] | null {
  // For git only a line feed ends a line; a file may contain any other character.
  const starts = [...diff.matchAll(/(?<![^\n])(?:repository (.*)\n)?diff --git /g)]
  if (starts.length === 0) return null
  let repository: string | null = null
  return starts.map(({ index, 1: named }, i) => {
    repository = named ?? repository
    const text = diff.slice(index, starts[i + 1]?.index)
    const before = known.get(text)
    return before?.repository === repository ? before : readFile(text, repository)
  })
}

function readFile(text: string, repository: string | null): DiffFile {
  const start = text.indexOf('diff --git ')
  const body = text.indexOf('\n@@ ', start)
  const top = body === -1 ? text.slice(start) : text.slice(start, body)
  const head = diffHead(top)
  const { hunks, unended } = body === -1 ? nothing : read(text.slice(body + 1))
  const changes = hunks.flatMap((hunk) => hunk.changes)
  return {
    ...head,
    text,
    repository,
    hunks,
    unended,
    version: top,
    id: `${repository ?? ''}\0${head.path}`,
    added: changes.filter(({ type }) => type === 'insert').length,
    removed: changes.filter(({ type }) => type === 'delete').length,
  }
}

const nothing: Pick<DiffFile, 'hunks' | 'unended'> = { hunks: [], unended: [] }

/** The parser gets plain names, since it splits unusual ones in the wrong places. */
function read(body: string): typeof nothing {
  try {
    const [file] = parseDiff(`diff --git a/a b/a\n--- a/a\n+++ b/a\n${body}`)
    if (file === undefined) return nothing
    const { hunks, oldEndingNewLine, newEndingNewLine } = file
    return {
      hunks,
      unended: [...(oldEndingNewLine ? [] : ['old' as const]), ...(newEndingNewLine ? [] : ['new' as const])],
    }
  } catch {
    return nothing
  }
}

/** The old and new line numbers of a change; null where it has none. */
export function numbersOf(change: ChangeData): { readonly old: number | null; readonly new: number | null } {
  if (change.type === 'normal') return { old: change.oldLineNumber, new: change.newLineNumber }
  return change.type === 'insert' ? { old: null, new: change.lineNumber } : { old: change.lineNumber, new: null }
}
