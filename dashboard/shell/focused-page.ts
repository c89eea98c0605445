import { useEffect, useRef } from 'react'
import type { Route } from '../router.ts'

/**
 * After keyboard navigation the focus is at the start of the new page, and not at the top of the
 * document: the focused element has disappeared with the old page.
 */
export function useFocusedPage({ path }: Route): void {
  const address = path.join('/')
  const before = useRef(address)
  useEffect(() => {
    if (before.current === address) return
    before.current = address
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true })
  }, [address])
}
