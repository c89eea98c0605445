import { useEffect, useState } from 'react'
import { type LanesNow, nameOf, noLanes } from './now-told.ts'
import { watchNow } from './now-watch.ts'

/**
 * What the conversations of a Run, or of one story, do at this moment. It comes with the event
 * stream of all tabs, and only while `isOn` is true and somebody looks at the tab.
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
