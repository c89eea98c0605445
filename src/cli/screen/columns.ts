import { type Screen, type Tone, widthOf } from './screen.ts'

/**
 * A line of a table. Only the column of `tone` is coloured, and the last column takes the remaining
 * width.
 */
export interface Row {
  readonly cells: readonly string[]
  readonly tone: Tone
}

export interface Columns {
  readonly head: readonly string[]
  /** Indexes of the columns with numbers, which are aligned right. */
  readonly right: readonly number[]
  /** Index of the coloured column. */
  readonly painted: number
}

/** Formats rows below a faint head, with columns as wide as their content. */
export function inColumns(screen: Screen, { head, right, painted }: Columns, rows: readonly Row[]): string {
  const last = head.length - 1
  const widths = head.map((name, i) => Math.max(widthOf(name), ...rows.map(({ cells }) => widthOf(cells[i] ?? ''))))
  const used = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0)
  const line = (cells: readonly string[], paint: (i: number, cell: string) => string) =>
    cells
      .map((cell, i) => {
        if (i === last) return screen.fit(cell, used)
        const gap = ' '.repeat((widths[i] ?? 0) - widthOf(cell))
        return paint(i, right.includes(i) ? `${gap}${cell}` : `${cell}${gap}`)
      })
      .join('  ')
  return [
    screen.paint(
      'faint',
      line(head, (_, cell) => cell),
    ),
    ...rows.map(({ cells, tone }) => line(cells, (i, cell) => (i === painted ? screen.paint(tone, cell) : cell))),
  ].join('\n')
}
