import { type Screen, type Tone, widthOf } from './screen.ts'

/**
 * A line of a table; the columns beside `tone`'s are plain, and the last takes what is left of the
 * width.
 */
export interface Row {
  readonly cells: readonly string[]
  readonly tone: Tone
}

export interface Columns {
  readonly head: readonly string[]
  /** Those that numbers stand in. */
  readonly right: readonly number[]
  /** The one that is painted. */
  readonly painted: number
}

/** Rows below a faint head, in columns as wide as what is in them. */
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
