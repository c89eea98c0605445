import { type Part, partsBetween } from '../brackets.ts'

/** The arguments of `@pytest.mark.parametrize(…)`, by the position of their bracket. */
export interface Table {
  readonly open: number
}

interface SourceText {
  readonly text: string
  readonly code: string
  readonly ends: Int32Array
}

/** The value of a parameter in the last row of a table; null where it is not written there. */
export function lastOfTable({ text, code, ends }: SourceText, { open }: Table, name: string): Part | null {
  const [names, rows, ...more] = partsBetween(code, { start: open + 1, end: ends[open] ?? 0 })
  if (
    names === undefined ||
    rows === undefined ||
    more.some(({ start, end }) => /indirect/.test(code.slice(start, end)))
  )
    return null
  const all: readonly string[] = text.slice(names.start, names.end).match(/\w+/g) ?? []
  const column = all.indexOf(name)
  const start = code.indexOf('[', rows.start)
  if (column < 0 || start < 0 || code.slice(rows.start, start).trim() !== '') return null
  const row = partsBetween(code, { start: start + 1, end: ends[start] ?? 0 }).findLast(
    (each) => code.slice(each.start, each.end).trim() !== '',
  )
  if (row === undefined) return null
  if (all.length === 1) return row
  const inside = code.slice(row.start, row.end).search(/[([]/)
  const begin = row.start + inside
  // A row such as `pytest.param(…, marks=…)` may expect a failure.
  if (inside < 0 || code.slice(row.start, begin).trim() !== '') return null
  return partsBetween(code, { start: begin + 1, end: ends[begin] ?? 0 })[column] ?? null
}
