import { type RefObject, useEffect, useRef } from 'react'
import { useAsked } from '../../router.ts'

/** Scrolls to the message in the address, and gives it the focus. */
export function useSought<Part extends HTMLElement>(
  id: string,
): { readonly place: RefObject<Part | null>; readonly sought: string } {
  const place = useRef<Part>(null)
  const isSought = useAsked('message') === id
  useEffect(() => {
    if (!isSought) return
    place.current?.scrollIntoView({ block: 'center' })
    place.current?.focus({ preventScroll: true })
  }, [isSought])
  return { place, sought: isSought ? 'sought' : '' }
}
