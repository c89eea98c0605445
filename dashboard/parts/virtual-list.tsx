import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'

interface Props<Item> {
  readonly items: readonly Item[]
  readonly id: (item: Item) => string
  /** The height of an item in pixels before it is measured. */
  readonly height: number
  readonly label: string
  readonly children: (item: Item) => ReactNode
  /** Called when the end becomes visible; null if there are no further items. */
  readonly more?: (() => void) | null
  readonly className?: string
  readonly gap?: number
  /**
   * True if new items appear on top: the visible ones keep their position, and a button leads to
   * the new ones.
   */
  readonly newestFirst?: boolean
  /** True if an item is being read, even if the list is not scrolled. */
  readonly isRead?: boolean
}

/** A list of any length in a scrolling box: only visible items are in the page. */
export function VirtualList<Item>({
  items,
  id,
  height,
  label,
  children,
  more = null,
  className = '',
  gap = 0,
  newestFirst = false,
  isRead = false,
}: Props<Item>) {
  const box = useRef<HTMLDivElement>(null)
  const latestId = useRef(id)
  latestId.current = id
  const [isBelow, setBelow] = useState(false)
  const keepsPlace = newestFirst && (isRead || isBelow)
  const newest = items[0] === undefined ? null : id(items[0])
  const [seen, setSeen] = useState(newest)
  if (!keepsPlace && seen !== newest) setSeen(newest)
  const unseen = keepsPlace
    ? Math.max(
        0,
        items.findIndex((item) => id(item) === seen),
      )
    : 0
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    // Memoized, since a new function would measure all items again.
    getItemKey: useCallback(
      (index: number) => {
        const item = items[index]
        return item === undefined ? index : latestId.current(item)
      },
      [items],
    ),
    overscan: 8,
    gap,
    anchorTo: keepsPlace ? 'end' : 'start',
    ...(newestFirst && { onChange: (now) => setBelow((now.scrollOffset ?? 0) > 0) }),
  })
  const shown = list.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (more !== null && last >= items.length - 10) more()
  }, [more, last, items.length])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section ref={box} className={`virtual ${className}`} tabIndex={0} aria-label={label}>
      {unseen > 0 && (
        <div className="unseen">
          <button
            type="button"
            className="button"
            onClick={() => {
              setSeen(newest)
              list.scrollToIndex(0)
            }}
          >
            {unseen} new
          </button>
        </div>
      )}
      <ul style={{ height: list.getTotalSize() }}>
        {shown.map((row) => {
          const item = items[row.index]
          if (item === undefined) return null
          return (
            <li
              key={row.key}
              data-index={row.index}
              ref={list.measureElement}
              style={{ transform: `translateY(${row.start}px)` }}
            >
              {children(item)}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
