import { useEffect, useState } from 'react'
import { type LanesNow, nameOf, noLanes } from './now-told.ts'
import { watchNow } from './now-watch.ts'

/**
 * The current activity of a Run's conversations, or of one story's. It comes through the event
 * stream of all tabs, and only while `isOn` is true and the tab is visible.
 */
export function useLanesNow(run: string, story: string | null, isOn: boolean): LanesNow {
  const [now, setNow] = useState(noLanes)
  useEffect(() => {
    if (!isOn) return
    const leave = watchNow(nameOf({ run, story }), setNow)
    return () => {
      leave()
      setNow(noLanes)
    }
  }, [run, story, isOn])
  return now
}
