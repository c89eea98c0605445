import { useEffect, useRef } from 'react'
import { isTyping } from '../../shell/keys.ts'
import type { Row } from './diff-rows.ts'

/** Each key goes to the next row of its kind, its counterpart to the previous one. */
const steps: Readonly<
  Record<string, { readonly of: (rows: readonly Row[], i: number) => boolean; readonly by: 1 | -1 }>
> = {
  ']': { of: isFile, by: 1 },
  '[': { of: isFile, by: -1 },
  n: { of: beginsChange, by: 1 },
  p: { of: beginsChange, by: -1 },
  c: { of: isTalk, by: 1 },
  C: { of: isTalk, by: -1 },
}

interface DiffKeysOptions {
  readonly rows: readonly Row[]
  readonly box: { readonly current: HTMLElement | null }
  readonly go: (row: Row) => void
}

/** Keys for the next and previous file, change and comment of a diff, wherever the focus is. */
export function useDiffKeys(walked: DiffKeysOptions): void {
  const latest = useRef(walked)
  // A row that cannot have the focus, such as a line without comments.
  const reached = useRef<string | null>(null)
  latest.current = walked
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const step = steps[event.key]
      if (step === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return
      const { rows, box, go } = latest.current
      const here = placeIn(box.current)
      const next = nextRow(rows, here === -1 ? rows.findIndex(({ key }) => key === reached.current) : here, step)
      if (next === null) return
      reached.current = next.key
      event.preventDefault()
      go(next)
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [])
}

/**
 * The index of the row with the keyboard focus; before all rows if the focus is outside the diff.
 */
function placeIn(box: HTMLElement | null): number {
  const row = document.activeElement?.closest<HTMLElement>('[data-index]')
  return row && box?.contains(row) ? Number(row.dataset.index) : -1
}

function nextRow(rows: readonly Row[], from: number, { of, by }: (typeof steps)[string]): Row | null {
  for (let i = from + by; i >= 0 && i < rows.length; i += by) if (of(rows, i)) return rows[i] ?? null
  return null
}

function isFile(rows: readonly Row[], i: number): boolean {
  return rows[i]?.kind === 'file'
}

function isTalk(rows: readonly Row[], i: number): boolean {
  return rows[i]?.kind === 'talk'
}

/** Consecutive added and removed lines count as one change. */
function beginsChange(rows: readonly Row[], i: number): boolean {
  return isChanged(rows[i]) && !isChanged(rows[i - 1])
}

function isChanged(row: Row | undefined): boolean {
  if (row?.kind === 'line') return row.chunk.changes[row.at]?.type !== 'normal'
  if (row?.kind !== 'pair') return false
  return [row.old, row.new].some((side) => side === null || side.chunk.changes[side.at]?.type !== 'normal')
}
