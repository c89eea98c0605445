import { useEffect, useRef } from 'react'
import type { Route } from '../router.ts'

/**
 * Whoever goes to another page by keyboard is then at its start, and not at the top of everything:
 * what had the focus is gone with the page before.
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
