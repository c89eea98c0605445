import { useSyncExternalStore } from 'react'

const query = window.matchMedia('(min-width: 901px)')

/** True if there is room for two columns of code. */
export function useWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => query.matches,
  )
}
