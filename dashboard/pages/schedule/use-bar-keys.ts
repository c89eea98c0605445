import type { ScaleTime } from 'd3-scale'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { Schedule } from '../../../src/api/schedule.ts'
import type { View } from './use-view.ts'

/** A bar, by its index in its story. */
export interface BarPlace {
  readonly story: string
  readonly index: number
}

export interface BarKeys {
  readonly current: BarPlace | null
  readonly look: (place: BarPlace) => void
  readonly pressed: (event: KeyboardEvent) => void
}

interface Around {
  readonly stories: Schedule['stories']
  readonly box: RefObject<HTMLElement | null>
  readonly x: ScaleTime<number, number>
  readonly view: View
  /** Scrolls a row into view. */
  readonly reveal: (row: number) => void
}

/**
 * Keyboard navigation between bars: left and right within a row, up and down to the bar of the same
 * time in the next row. Only one bar is in the Tab order.
 */
export function useBarKeys({ stories, box, x, view, reveal }: Around): BarKeys {
  const [current, setCurrent] = useState<BarPlace | null>(null)
  const wanted = useRef<BarPlace | null>(null)
  // Runs after each render, since a row outside the view is rendered later.
  useEffect(() => {
    if (wanted.current === null) return
    const { story, index } = wanted.current
    const bar = box.current?.querySelector<HTMLElement>(`[data-bar="${CSS.escape(`${story} ${index}`)}"]`)
    if (!bar) return
    wanted.current = null
    bar.focus({ preventScroll: true })
  })
  const goTo = (row: number, index: number) => {
    const story = stories[row]
    const span = story?.spans[index]
    if (!story || !span) return
    wanted.current = { story: story.story, index }
    setCurrent(wanted.current)
    reveal(row)
    const at = x(Date.parse(span.from))
    if (box.current && (at < view.left || at > view.left + view.width - 24)) {
      box.current.scrollLeft = Math.max(0, at - view.width / 3)
    }
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const isOnBar = event.target instanceof HTMLElement && event.target.dataset.bar !== undefined
    if (!isOnBar) return
    const row = stories.findIndex(({ story }) => story === current?.story)
    const spans = stories[row]?.spans ?? []
    const index = current?.index ?? 0
    const next = placeAfter(event.key, { row, index, last: spans.length - 1 })
    if (next === null) return
    event.preventDefault()
    if (next.row === row) return goTo(row, Math.min(spans.length - 1, Math.max(0, next.index)))
    const time = spans[index]?.from ?? ''
    const beside = stories[next.row]?.spans ?? []
    goTo(
      next.row,
      Math.max(
        0,
        beside.findLastIndex(({ from }) => from <= time),
      ),
    )
  }
  return { current, look: setCurrent, pressed }
}

interface At {
  readonly row: number
  readonly index: number
  readonly last: number
}

function placeAfter(key: string, { row, index, last }: At): Omit<At, 'last'> | null {
  switch (key) {
    case 'ArrowLeft':
      return { row, index: index - 1 }
    case 'ArrowRight':
      return { row, index: index + 1 }
    case 'Home':
      return { row, index: 0 }
    case 'End':
      return { row, index: last }
    case 'ArrowUp':
      return { row: row - 1, index }
    case 'ArrowDown':
      return { row: row + 1, index }
    default:
      return null
  }
}
