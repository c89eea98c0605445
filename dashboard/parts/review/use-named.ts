import { type RefObject, useEffect, useRef } from 'react'

/** Scrolls to the finding in the address once it is rendered. */
export function useNamed(id: string | null): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  const reached = useRef<string | null>(null)
  useEffect(() => {
    if (id === null || reached.current === id) return
    const found = [...(box.current?.querySelectorAll<HTMLElement>('[data-finding]') ?? [])]
    const item = found.find(({ dataset }) => dataset.finding === id)
    if (item === undefined) return
    reached.current = id
    item.focus({ preventScroll: true })
    item.scrollIntoView({ block: 'center' })
  })
  return box
}
