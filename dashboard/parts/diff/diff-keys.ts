import { useEffect, useRef } from 'react'
import { isTyping } from '../../shell/keys.ts'
import type { Row } from './diff-rows.ts'

/** Each key goes to the next row of its kind; the other one of its pair to the one before. */
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

interface Walked {
  readonly rows: readonly Row[]
  readonly box: { readonly current: HTMLElement | null }
  readonly go: (row: Row) => void
}

/** Keys for the next and the last file, change and comment of a diff, wherever the keyboard is. */
export function useDiffKeys(walked: Walked): void {
  const latest = useRef(walked)
  // A row that cannot have the keyboard, as a line that nobody can comment on.
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

/** The row with the keyboard focus; before all rows if the focus is outside of the diff. */
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

/** Lines that were added or removed together count once. */
function beginsChange(rows: readonly Row[], i: number): boolean {
  return isChanged(rows[i]) && !isChanged(rows[i - 1])
}

function isChanged(row: Row | undefined): boolean {
  if (row?.kind === 'line') return row.chunk.changes[row.at]?.type !== 'normal'
  if (row?.kind !== 'pair') return false
  return [row.old, row.new].some((side) => side === null || side.chunk.changes[side.at]?.type !== 'normal')
}
