import { useEffect, useState } from 'react'
import type { LaneNow, Now } from '../../src/api/now.ts'
import { apiPath, get } from './client.ts'
import { pause } from './pause.ts'

/** Milliseconds between two answers, of one story and of a whole Run, and after a failure. */
const pauseMs = { story: 120, run: 300, failed: 2_000 } as const

export interface LanesNow {
  readonly lanes: readonly LaneNow[]
  /** Milliseconds that the server's clock is ahead of this one. */
  readonly aheadMs: number
}

const none: LanesNow = { lanes: [], aheadMs: 0 }

/**
 * What the conversations of a Run, or of one story, do at this moment. One request waits at the
 * server for the next change; there is none while `isOn` is false or nobody looks at the tab.
 */
export function useLanesNow(run: string, story: string | null, isOn: boolean): LanesNow {
  const [now, setNow] = useState(none)
  useEffect(() => {
    if (!isOn) return setNow(none)
    let visit: AbortController | null = null
    const settle = () => {
      if (document.hidden) {
        visit?.abort()
        visit = null
      } else if (visit === null) {
        visit = new AbortController()
        void follow({ run, story, take: setNow }, visit.signal)
      }
    }
    settle()
    document.addEventListener('visibilitychange', settle)
    return () => {
      document.removeEventListener('visibilitychange', settle)
      visit?.abort()
    }
  }, [run, story, isOn])
  return now
}

interface Following {
  readonly run: string
  readonly story: string | null
  readonly take: (now: (before: LanesNow) => LanesNow) => void
}

async function follow({ run, story, take }: Following, signal: AbortSignal): Promise<void> {
  const path = apiPath('runs', run, 'now')
  let after: number | null = null
  while (!signal.aborted) {
    const asked = new URLSearchParams({ ...(story !== null && { story }) })
    if (after !== null) asked.set('after', String(after))
    try {
      const { version, at, lanes } = await get<Now>(`${path}?${asked}`, signal)
      after = version
      const aheadMs = Date.parse(at) - Date.now()
      take((before) => ({ aheadMs, lanes: lanes.map((lane) => sameOrNew(before.lanes, lane)) }))
      await pause(story === null ? pauseMs.run : pauseMs.story, signal)
    } catch {
      await pause(pauseMs.failed, signal)
    }
  }
}

/** A lane in which nothing has changed is the same object, so that it is not drawn again. */
function sameOrNew(before: readonly LaneNow[], lane: LaneNow): LaneNow {
  const known = before.find(({ id }) => id === lane.id)
  return known && JSON.stringify(known) === JSON.stringify(lane) ? known : lane
}
