import { useEffect, useRef, useState } from 'react'
import { keep, readKept } from '../../data/kept.ts'

/**
 * The commit that a person saw when they last left this change, its tab or its window. Null if they
 * see it for the first time.
 */
export function useLastSeen(name: string, sha: string | null): string | null {
  const place = `seen.${name}`
  const [seen, setSeen] = useState(() => readKept<string>(place))
  const now = useRef(sha)
  now.current = sha ?? now.current
  useEffect(() => {
    const left = () => {
      if (now.current !== null) keep(place, now.current)
    }
    const changed = () => {
      if (document.hidden) left()
      else setSeen(readKept<string>(place))
    }
    document.addEventListener('visibilitychange', changed)
    window.addEventListener('pagehide', left)
    return () => {
      left()
      document.removeEventListener('visibilitychange', changed)
      window.removeEventListener('pagehide', left)
    }
  }, [place])
  return seen
}
