import type { LaneNow, NowChanges } from '../../src/api/now.ts'

/** Runs and stories that one connection tells of, as `limits.live.followed` says it. */
export const mostWatched = 20

/** What the conversations of a Run, or of one story, do at this moment. */
export interface LanesNow {
  readonly lanes: readonly LaneNow[]
  /** Milliseconds that the server's clock is ahead of this one. */
  readonly aheadMs: number
  /** Other windows watch as much as one connection tells of, so nothing of this is told. */
  readonly isLeftOut: boolean
}

export const noLanes: LanesNow = { lanes: [], aheadMs: 0, isLeftOut: false }

/** How a Run or a story is asked for, as `?now=` of the event stream names it. */
export function nameOf({ run, story }: { readonly run: string; readonly story: string | null }): string {
  return story === null ? run : `${run}/${story}`
}

/** A lane that is told of as it was stays the same object, so that it is not drawn again. */
export function withChanges(before: LanesNow, { at, lanes, ids }: NowChanges): LanesNow {
  const told = new Map(lanes.map((lane) => [lane.id, lane]))
  const known = new Map(before.lanes.map((lane) => [lane.id, lane]))
  const all = ids.flatMap((id) => {
    const [now, then] = [told.get(id), known.get(id)]
    if (now !== undefined && then !== undefined && JSON.stringify(now) === JSON.stringify(then)) return [then]
    return now ?? then ?? []
  })
  return { lanes: all, aheadMs: Date.parse(at) - Date.now(), isLeftOut: false }
}
