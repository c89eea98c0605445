import { type RefObject, useLayoutEffect, useState } from 'react'

/** The height of a story's row in pixels. */
export const rowHeight = 34

/** The visible part of the chart, in pixels of its plane. */
export interface View {
  readonly left: number
  readonly width: number
}

export function useView(box: RefObject<HTMLElement | null>): View {
  const [view, setView] = useState<View>({ left: 0, width: 800 })
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const look = () => {
      const names = Number.parseFloat(getComputedStyle(element).getPropertyValue('--gantt-names')) || 0
      const next = { left: element.scrollLeft, width: element.clientWidth - names }
      setView((now) => (now.left === next.left && now.width === next.width ? now : next))
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [box])
  return view
}
