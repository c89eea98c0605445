import { type LineChange, linesBefore } from './line-change.ts'
import { type IndentPair, reindent } from './reindent.ts'
import { indentOf, isBlank, type TextLine } from './text-lines.ts'

/** A place of lines in a text. */
export interface Place {
  /** The index of its first line. */
  readonly at: number
  /** For each new line its indentation in the file, where it differs from the written one. */
  readonly indents: readonly string[] | null
  /** True if the indentation differs, and does not show how new lines are indented. */
  readonly isUnclear: boolean
}

/** The difference that the comparison of lines ignored. */
export type IgnoredDifference = 'nothing' | 'white space at the end of lines' | 'indentation'

export interface LineMatches {
  readonly ignored: IgnoredDifference
  readonly places: readonly Place[]
}

/** Most places that are collected; with this many, the lines are not unique anyway. */
const mostPlaces = 1_000

/**
 * Every place where the lines that a change begins from are in the text: as they were written; if
 * there is none, with other white space at their ends; if there is none of these either, with
 * another indentation. Places may overlap.
 */
export function findLines(lines: readonly TextLine[], changes: readonly LineChange[]): LineMatches {
  const wanted = linesBefore(changes)
  if (wanted.every(isBlank)) return { ignored: 'nothing', places: exactly(occurrences(lines, wanted, String)) }
  const equal = occurrences(lines, wanted, String)
  if (equal.length > 0) return { ignored: 'nothing', places: exactly(equal) }
  const ended = occurrences(lines, wanted, (line) => line.replace(/[ \t]+$/, ''))
  if (ended.length > 0) return { ignored: 'white space at the end of lines', places: exactly(ended) }
  const bare = occurrences(lines, wanted, (line) => line.replace(/^[ \t]+|[ \t]+$/g, ''))
  return { ignored: 'indentation', places: bare.flatMap((at) => reindented(lines, at, changes)) }
}

function exactly(found: readonly number[]): readonly Place[] {
  return found.map((at) => ({ at, indents: null, isUnclear: false }))
}

function reindented(lines: readonly TextLine[], at: number, changes: readonly LineChange[]): readonly Place[] {
  const pairs = linesBefore(changes).flatMap((line, i): IndentPair[] =>
    isBlank(line) ? [] : [{ written: indentOf(line), inFile: indentOf(lines[at + i]?.text ?? '') }],
  )
  const added = changes.filter(({ kind }) => kind === 'add').map(({ text }) => text)
  const told = added.filter((line) => !isBlank(line))
  const { fits, indents } = reindent(pairs, told.map(indentOf))
  if (!fits) return []
  const left = [...(indents ?? [])]
  const all = added.map((line) => (isBlank(line) ? '' : (left.shift() ?? '')))
  return [{ at, indents: all, isUnclear: indents === null }]
}

/** The indexes of all lines where the wanted lines begin, compared by what `key` leaves of them. */
function occurrences(
  lines: readonly TextLine[],
  wanted: readonly string[],
  key: (line: string) => string,
): readonly number[] {
  if (wanted.length === 0 || wanted.length > lines.length) return []
  const starts = new Map<number, number>()
  let text = '\n'
  for (const [i, line] of lines.entries()) {
    starts.set(text.length - 1, i)
    text += `${key(line.text)}\n`
  }
  const needle = `\n${wanted.map(key).join('\n')}\n`
  const found: number[] = []
  for (let at = text.indexOf(needle); at >= 0 && found.length < mostPlaces; at = text.indexOf(needle, at + 1)) {
    const line = starts.get(at)
    if (line !== undefined) found.push(line)
  }
  return found
}
