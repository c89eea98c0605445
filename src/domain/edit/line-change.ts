import { indentOf, isBlank, type TextLine } from './text-lines.ts'

/** The fate of a line: kept, dropped or added. The text is as it was written. */
export interface LineChange {
  readonly kind: 'keep' | 'drop' | 'add'
  readonly text: string
}

/** A part of a text, and its replacement. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Above this number of pairs the lines are not compared: all are replaced. */
const mostPairs = 1_000_000

/** The lines that a change expects in the text, in their order. */
export function linesBefore(changes: readonly LineChange[]): readonly string[] {
  return changes.flatMap(({ kind, text }) => (kind === 'add' ? [] : [text]))
}

/** The changes from one list of lines to another, with as many lines kept as possible. */
export function changesBetween(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  let first = 0
  while (first < Math.min(before.length, after.length) && before[first] === after[first]) first += 1
  let last = 0
  while (last < Math.min(before.length, after.length) - first && before.at(-1 - last) === after.at(-1 - last)) last += 1
  const middle = changesOf(before.slice(first, before.length - last), after.slice(first, after.length - last))
  const kept = (lines: readonly string[]) => lines.map((text): LineChange => ({ kind: 'keep', text }))
  return [...kept(before.slice(0, first)), ...middle, ...kept(before.slice(before.length - last))]
}

function changesOf(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const drop = (text: string): LineChange => ({ kind: 'drop', text })
  const add = (text: string): LineChange => ({ kind: 'add', text })
  if (before.length * after.length > mostPairs) return [...before.map(drop), ...after.map(add)]
  const width = after.length + 1
  /** For each pair of suffixes, the number of lines that they have in common. */
  const common = new Uint32Array((before.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const changes: LineChange[] = []
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const [old = '', put = ''] = [before[i], after[j]]
    if (i < before.length && j < after.length && old === put) {
      changes.push({ kind: 'keep', text: old })
      i += 1
      j += 1
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1))) {
      changes.push(drop(old))
      i += 1
    } else {
      changes.push(add(put))
      j += 1
    }
  }
  return changes
}

export interface ChangedLines {
  readonly lines: readonly TextLine[]
  /** The index of the first line that the change covers. */
  readonly at: number
  readonly changes: readonly LineChange[]
  /** For each new line its indentation, where it differs from the written one. */
  readonly indents: readonly string[] | null
  /** The ending of new lines that have no neighbour. */
  readonly ending: '\n' | '\r\n'
}

/**
 * The splices of a text that make a change of its lines. A kept line stays byte for byte. A new
 * line ends as the lines do that it replaces or follows, and a text without a final newline stays
 * one.
 */
export function splicesOf({ lines, at, changes, indents, ending }: ChangedLines): readonly Splice[] {
  const splices: Splice[] = []
  let [line, added] = [at, 0]
  for (let i = 0; i < changes.length; ) {
    if (changes[i]?.kind === 'keep') {
      line += 1
      i += 1
      continue
    }
    const from = line
    const put: string[] = []
    for (; i < changes.length && changes[i]?.kind !== 'keep'; i += 1) {
      const { kind, text } = changes[i] as LineChange
      if (kind === 'drop') line += 1
      else put.push(indented(text, indents?.[added++]))
    }
    splices.push(splice(lines, { from, to: line, put, ending }))
  }
  return splices
}

function indented(text: string, indent: string | undefined): string {
  if (indent === undefined) return text
  return isBlank(text) ? '' : indent + text.slice(indentOf(text).length)
}

interface Replacement {
  readonly from: number
  readonly to: number
  readonly put: readonly string[]
  readonly ending: '\n' | '\r\n'
}

function splice(lines: readonly TextLine[], { from, to, put, ending }: Replacement): Splice {
  const last = lines.at(-1)
  const length = last ? last.start + last.text.length + last.ending.length : 0
  const own = (lines[from]?.ending || lines[from - 1]?.ending || ending) as '\n' | '\r\n'
  const start = lines[from]?.start ?? length
  const end = lines[to]?.start ?? length
  const text = put.map((each) => each + own).join('')
  const isUnended = last?.ending === '' && end === length && put.length > 0
  if (!isUnended) return { start, end, text }
  const bare = text.slice(0, -own.length)
  return { start, end, text: from === lines.length ? own + bare : bare }
}
