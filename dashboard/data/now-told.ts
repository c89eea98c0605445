import type { LaneNow, NowChanges } from '../../src/api/now.ts'

/** The most Runs and stories on one connection, as in `limits.live.followed`. */
export const mostWatched = 20

/** The current activity of a Run's conversations, or of one story's. */
export interface LanesNow {
  readonly lanes: readonly LaneNow[]
  /** Milliseconds that the server's clock is ahead of this one. */
  readonly aheadMs: number
  /**
   * True if other windows use up the connection's limit of names, so that nothing is sent for this
   * window.
   */
  readonly isLeftOut: boolean
}

export const noLanes: LanesNow = { lanes: [], aheadMs: 0, isLeftOut: false }

/** The name of a Run or a story for `?now=` of the event stream. */
export function nameOf({ run, story }: { readonly run: string; readonly story: string | null }): string {
  return story === null ? run : `${run}/${story}`
}

/** An unchanged lane stays the same object, so that it is not rendered again. */
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
