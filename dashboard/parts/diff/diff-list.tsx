import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import '../../styles/diff.css'
import type { Side } from '../review/anchor.ts'
import type { DiffFile } from './diff-files.ts'
import { useDiffKeys } from './diff-keys.ts'
import { DiffLine, DiffPair } from './diff-line.tsx'
import { lineOn, type Row } from './diff-rows.ts'
import type { Expansions } from './expansions.ts'
import { GapRow } from './gap-row.tsx'
import { type LineRange, useLinePicking } from './line-picking.ts'

/**
 * Up to this many file headers are always in the page, for the keyboard and for the browser's
 * search.
 */
const headsInPage = 300
/**
 * Estimated heights in pixels, derived from the styles, so that only wrapped rows must be measured
 * again.
 */
const heights = { file: 45, gap: 30, line: 20, pair: 20, note: 42, talk: 150 } as const

export type TalkRow = Extract<Row, { kind: 'talk' }>

interface Props {
  readonly rows: readonly Row[]
  readonly sides: readonly Side[]
  /** Lines to mark, in addition to the selection. */
  readonly marked: readonly LineRange[]
  readonly pick: (picked: LineRange) => void
  readonly expand: Expansions['expand']
  readonly head: (file: DiffFile) => ReactNode
  /** `focusLine` moves the keyboard focus to a line. */
  readonly talk: (row: TalkRow, focusLine: (file: string, side: Side, line: number) => void) => ReactNode
  /** True for a comment being written, which must not be removed from the page. */
  readonly isHeld: (row: TalkRow) => boolean
  /** A row to scroll to; another `n` scrolls there again. */
  readonly goal: Goal | null
}

export interface Goal {
  readonly key: string
  readonly n: number
}

/** The rows of a diff. Only visible rows are in the page, and those that somebody is editing. */
export function DiffList({ rows, sides, marked, pick, expand, head, talk, isHeld, goal: asked }: Props) {
  const [own, setOwn] = useState<Goal | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever asks for another row comes first
  useEffect(() => setOwn(null), [asked])
  const goal = own ?? asked
  const box = useRef<HTMLDivElement>(null)
  const picking = useLinePicking({ rows, sides, box, pick })
  useDiffKeys({
    rows,
    box,
    go(row) {
      const line = isLine(row) ? lineIn(row) : null
      if (line === null || !sides.includes(line[1])) setOwn({ key: row.key, n: Math.random() })
      else picking.focus(...line)
    },
  })
  const reached = useRef<Goal | null>(null)
  // The row stays in the page, since it would otherwise lose the focus.
  const goalAt = goal === null ? -1 : rows.findIndex(({ key }) => key === goal.key)
  const held = useMemo(() => {
    const heads = rows.flatMap(({ kind }, i) => (kind === 'file' ? [i] : []))
    const written = rows.flatMap((row, i) => (row.kind === 'talk' && isHeld(row) ? [i] : []))
    return [...(heads.length > headsInPage ? [] : heads), ...written]
  }, [rows, isHeld])
  const offset = useOffset(box)
  const list = useWindowVirtualizer({
    // Without an offset there are no rows yet, since a later change of these options would measure
    // all rows again, which is slow.
    count: offset === null ? 0 : rows.length,
    estimateSize: useCallback((i: number) => heights[rows[i]?.kind ?? 'line'], [rows]),
    getItemKey: useCallback((i: number) => rows[i]?.key ?? i, [rows]),
    overscan: 20,
    scrollMargin: offset ?? 0,
    rangeExtractor: (range: Range) => {
      const near = defaultRangeExtractor(range)
      const more = [...held, picking.at, goalAt].filter((i) => i !== -1)
      return [...new Set([...near, ...more])].toSorted((a, b) => a - b)
    },
  })
  useEffect(() => {
    if (goal === null || goal === reached.current || goalAt === -1) return
    reached.current = goal
    list.scrollToIndex(goalAt, { align: rows[goalAt]?.kind === 'talk' ? 'center' : 'start' })
    box.current
      ?.querySelector<HTMLElement>(`[data-index="${goalAt}"] :is(.diff-name, .diff-talk)`)
      ?.focus({ preventScroll: true })
  }, [goal, goalAt, list, rows])
  const shown = list.getVirtualItems()
  const firstLine = shown.find(({ index }) => isLine(rows[index]))?.index
  const cursorAt = picking.at === -1 ? firstLine : picking.at
  const ranges =
    picking.picked !== null && (picking.isDragged || picking.picked.from !== picking.picked.to)
      ? [...marked, picking.picked]
      : marked
  return (
    <div ref={box} className="diff-files card" style={{ height: list.getTotalSize() }} {...picking.handlers}>
      {shown.map(({ index, key, start }) => {
        const row = rows[index]
        if (row === undefined) return null
        return (
          <div
            key={key}
            ref={list.measureElement}
            data-index={index}
            className="diff-row"
            style={{ transform: `translateY(${start - list.options.scrollMargin}px)` }}
          >
            {row.kind === 'file' && head(row.file)}
            {row.kind === 'gap' && <GapRow {...row} expand={expand} />}
            {row.kind === 'note' && <p className="sub diff-none">{row.text}</p>}
            {row.kind === 'talk' && (
              <div className="diff-talk" tabIndex={-1}>
                {talk(row, picking.focus)}
              </div>
            )}
            {row.kind === 'line' && (
              <DiffLine
                chunk={row.chunk}
                at={row.at}
                sides={sides}
                chosen={chosenOn(row, ranges)}
                cursor={index === cursorAt ? (lineOn(row, 'new') === null ? 'old' : 'new') : null}
              />
            )}
            {row.kind === 'pair' && (
              <DiffPair
                old={row.old}
                new={row.new}
                sides={sides}
                chosen={chosenOn(row, ranges)}
                cursor={index === cursorAt ? (picking.picked?.side ?? (row.new === null ? 'old' : 'new')) : null}
              />
            )}
          </div>
        )
      })}
    </div>
  )
}

/** The row's file, side and line number: after the change, if it exists there. */
function lineIn(row: Row): [string, Side, number] | null {
  if (row.kind !== 'line' && row.kind !== 'pair') return null
  const after = lineOn(row, 'new')
  if (after !== null) return [row.file.id, 'new', after]
  const before = lineOn(row, 'old')
  return before === null ? null : [row.file.id, 'old', before]
}

function isLine(row: Row | undefined): boolean {
  return row?.kind === 'line' || row?.kind === 'pair'
}

function chosenOn(row: Extract<Row, { kind: 'line' | 'pair' }>, ranges: readonly LineRange[]): Side | null {
  const found = ranges.find(({ file, side, from, to }) => {
    const line = row.file.id === file ? lineOn(row, side) : null
    return line !== null && line >= Math.min(from, to) && line <= Math.max(from, to)
  })
  return found?.side ?? null
}

/** The distance from the top of the page; null until it is rendered. */
function useOffset(place: { readonly current: HTMLElement | null }): number | null {
  const [offset, setOffset] = useState<number | null>(null)
  useLayoutEffect(() => {
    const top = place.current?.getBoundingClientRect().top ?? 0
    setOffset(Math.round(top + window.scrollY))
  })
  return offset
}
