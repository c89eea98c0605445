import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Side } from '../review/anchor.ts'
import { lineOn, type Row } from './diff-rows.ts'

/** A selection of lines on one side of a file, from its start to its current end. */
export interface LineRange {
  readonly file: string
  readonly side: Side
  readonly from: number
  readonly to: number
}

interface Picking {
  readonly rows: readonly Row[]
  readonly sides: readonly Side[]
  readonly box: RefObject<HTMLElement | null>
  readonly pick: (picked: LineRange) => void
}

/**
 * Selects lines with the mouse (press on a number, drag to another) and with the keyboard (arrows,
 * with Shift for several, Enter). Only one line is in the Tab order.
 */
export function useLinePicking({ rows, sides, box, pick }: Picking) {
  const [picked, setPicked] = useState<LineRange | null>(null)
  const [isDragged, setDragged] = useState(false)
  const wantsFocus = useRef(false)
  // A drag ends with the state at the time when the pointer is released.
  const latest = useRef({ picked, pick })
  latest.current = { picked, pick }
  useEffect(() => {
    if (!isDragged) return
    const end = (isMeant: boolean) => () => {
      setDragged(false)
      const { picked: last, pick: take } = latest.current
      if (isMeant && last !== null) take(last)
    }
    const [up, cancel] = [end(true), end(false)]
    window.addEventListener('pointerup', up)
    window.addEventListener('pointercancel', cancel)
    return () => {
      window.removeEventListener('pointerup', up)
      window.removeEventListener('pointercancel', cancel)
    }
  }, [isDragged])
  const at = picked === null ? -1 : rows.findIndex((row) => holds(row, picked))
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    const button = box.current?.querySelector<HTMLElement>(
      `[data-index="${at}"] .diff-add[data-side="${picked?.side}"]`,
    )
    if (!button) return
    wantsFocus.current = false
    button.focus({ preventScroll: true })
    button.scrollIntoView({ block: 'nearest' })
  })
  const place = (target: EventTarget) => {
    if (!(target instanceof HTMLElement)) return null
    const row = rows[Number(target.closest<HTMLElement>('[data-index]')?.dataset.index ?? -1)]
    const named = target.closest<HTMLElement>('[data-side]')?.dataset.side as Side | undefined
    if (row?.kind !== 'line' && row?.kind !== 'pair') return null
    const side = row.kind === 'pair' ? named : lineOn(row, 'new') === null ? 'old' : 'new'
    const line = side === undefined ? null : lineOn(row, side)
    return side === undefined || line === null ? null : { file: row.file.id, side, line, row }
  }
  const move = (step: 1 | -1, isMore: boolean) => {
    if (picked === null) return
    for (let i = at + step; i >= 0 && i < rows.length; i += step) {
      const row = rows[i]
      if (row?.kind !== 'line' && row?.kind !== 'pair') continue
      if (isMore && row.file.id !== picked.file) return
      const side = lineOn(row, picked.side) === null && !isMore ? other(picked.side) : picked.side
      const line = lineOn(row, side)
      if (line === null || !sides.includes(side)) continue
      wantsFocus.current = true
      return setPicked({ file: row.file.id, side, from: isMore ? picked.from : line, to: line })
    }
  }
  return {
    picked,
    /** The row with the keyboard cursor. */
    at,
    isDragged,
    /** Moves the keyboard focus to a line. */
    focus(file: string, side: Side, line: number) {
      wantsFocus.current = true
      setPicked({ file, side, from: line, to: line })
    },
    handlers: {
      onPointerDown(event: PointerEvent) {
        const isHandle = event.target instanceof HTMLElement && event.target.closest('.diff-add, .diff-gutter') !== null
        const found = isHandle && event.button === 0 ? place(event.target) : null
        if (found === null || !sides.includes(found.side)) return
        event.preventDefault()
        const { file, side, line } = found
        const isSame = event.shiftKey && picked?.file === file && picked.side === side
        setPicked({ file, side, from: isSame ? picked.from : line, to: line })
        setDragged(true)
      },
      onPointerOver(event: PointerEvent) {
        if (!isDragged || picked === null) return
        const found = place(event.target)
        const line = found?.file === picked.file ? lineOn(found.row, picked.side) : null
        if (line !== null) setPicked({ ...picked, to: line })
      },
      onFocus({ target }: { readonly target: EventTarget }) {
        const found = target instanceof HTMLElement && target.matches('.diff-add') ? place(target) : null
        if (found === null) return
        const { file, side, line } = found
        if (picked?.file === file && picked.side === side && picked.to === line) return
        setPicked({ file, side, from: line, to: line })
      },
      onKeyDown(event: KeyboardEvent) {
        if (!(event.target instanceof HTMLElement) || !event.target.matches('.diff-add')) return
        if (event.key === 'ArrowDown') move(1, event.shiftKey)
        else if (event.key === 'ArrowUp') move(-1, event.shiftKey)
        else if ((event.key === 'Enter' || event.key === ' ') && picked !== null) pick(picked)
        else return
        event.preventDefault()
      },
      /** Assistive technology presses a button without a pointer. */
      onClick(event: { readonly target: EventTarget; readonly detail: number }) {
        if (event.detail !== 0 || !(event.target instanceof HTMLElement) || !event.target.matches('.diff-add')) return
        const found = place(event.target)
        if (found) pick({ file: found.file, side: found.side, from: found.line, to: found.line })
      },
    },
  }
}

function holds(row: Row, { file, side, to }: LineRange): boolean {
  return (row.kind === 'line' || row.kind === 'pair') && row.file.id === file && lineOn(row, side) === to
}

function other(side: Side): Side {
  return side === 'old' ? 'new' : 'old'
}
