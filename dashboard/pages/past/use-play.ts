import { useEffect, useMemo, useRef, useState } from 'react'
import { paceOf } from './pace.ts'
import type { PastView } from './use-past.ts'

/** The longest step of one frame in milliseconds, so that a tab that was hidden does not jump. */
const longestFrame = 100

export interface Play {
  readonly isPlaying: boolean
  /** Pauses, or plays on from the shown moment; at the end it starts again. */
  readonly toggle: () => void
  readonly stop: () => void
  readonly speed: number
  readonly setSpeed: (speed: number) => void
}

/** Plays the past with its real proportions, shortened to a watchable length. */
export function usePlay({ past, n, goTo }: PastView): Play {
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState(1)
  const pace = useMemo(() => paceOf(past.moments), [past])
  const shown = useRef({ n, goTo })
  useEffect(() => {
    shown.current = { n, goTo }
  })
  useEffect(() => {
    if (!isPlaying) return
    let at = shown.current.n
    let ms = pace[at] ?? 0
    let before: number | null = null
    const frame = (time: number) => {
      ms += Math.min(longestFrame, time - (before ?? time)) * speed
      before = time
      const from = at
      while ((pace[at + 1] ?? Number.POSITIVE_INFINITY) <= ms) at += 1
      if (at !== from) shown.current.goTo(at)
      if (at >= pace.length - 1) setPlaying(false)
      else next = requestAnimationFrame(frame)
    }
    let next = requestAnimationFrame(frame)
    return () => cancelAnimationFrame(next)
  }, [isPlaying, speed, pace])
  const toggle = () => {
    if (!isPlaying && n >= pace.length - 1) {
      shown.current.n = 0
      goTo(0)
    }
    setPlaying(!isPlaying)
  }
  return { isPlaying, toggle, stop: () => setPlaying(false), speed, setSpeed }
}
