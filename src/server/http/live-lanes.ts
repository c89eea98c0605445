import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { laneNowSchema, type Now, type NowChanges, type NowQuery } from '../../api/now.ts'
import { limits } from '../../domain/limits.ts'

/** The owner may be a process of another version, so its messages are checked. */
const changesSchema = z.object({
  lanes: z.array(
    laneNowSchema.omit({ usd_per_minute: true }).extend({ run: z.string(), usdPerMinute: z.number().nullable() }),
  ),
  ids: z.array(z.string()),
})

type LaneChange = z.infer<typeof changesSchema>['lanes'][number]

export interface LiveLanes {
  /** Handles a message of the owner; null when the owner has gone. */
  seen(changes: unknown): void
  /**
   * The activity of a Run's lanes: at once, or with `after` once there is a change or the time
   * limit has passed.
   */
  read(run: string, query: NowQuery, signal: AbortSignal): Promise<Now>
  /** Yields all lanes of a Run or of one story, and then changes, with a pause after each. */
  follow(what: LaneScope, signal: AbortSignal): AsyncGenerator<NowChanges>
  close(): void
}

export interface LaneScope {
  readonly run: string
  readonly story: string | null
}

interface Waiter {
  readonly run: string
  readonly wake: () => void
}

interface Looking {
  readonly look: (isLooking: boolean) => void
  readonly now: () => Date
  /** The number of requests that may wait at once. A further one is answered immediately. */
  readonly most: number
}

/** The current activity of lanes. The owner reports it only while a client asks for it. */
export function createLiveLanes({ look, now, most }: Looking): LiveLanes {
  /** Lanes, each with the version of its last change. */
  const lanes = new Map<string, LaneChange & { readonly version: number }>()
  /** The version of the last change of each Run that was reported or requested. */
  const versions = new Map<string, number>()
  const waiting = new Set<Waiter>()
  let readers = 0
  let followers = 0
  let version = 0
  let isKnown = false
  let idle: NodeJS.Timeout | undefined

  function stop(): void {
    clearTimeout(idle)
    idle = undefined
    look(false)
    lanes.clear()
    versions.clear()
    isKnown = false
  }

  function keepLooking(): void {
    clearTimeout(idle)
    idle = undefined
    look(true)
  }

  function rest(): void {
    if (readers + followers === 0) idle ??= setTimeout(stop, limits.live.lookMs).unref()
  }

  function seen(changes: unknown): void {
    const { success, data } = changesSchema.safeParse(changes)
    const told = success ? data : { lanes: [], ids: [] }
    const left = new Set(told.ids)
    const runs = new Set(told.lanes.map(({ run }) => run))
    for (const [id, { run }] of lanes) {
      if (left.has(id)) continue
      lanes.delete(id)
      runs.add(run)
    }
    version += 1
    for (const lane of told.lanes) lanes.set(lane.id, { ...lane, version })
    const isFirst = !isKnown
    if (isFirst) for (const run of versions.keys()) runs.add(run)
    isKnown = success
    for (const run of runs) versions.set(run, version)
    for (const { run, wake } of waiting) if (isFirst || runs.has(run)) wake()
  }

  const isDue = (run: string, after: number | undefined) =>
    isKnown && (after === undefined || after > version || (versions.get(run) ?? 0) > after)

  const lanesOf = ({ run, story }: LaneScope) =>
    [...lanes.values()].filter((lane) => lane.run === run && (story === null || lane.story === story))

  return {
    seen,
    async read(run, { after, story }, signal) {
      keepLooking()
      if (!versions.has(run)) versions.set(run, version)
      const late = AbortSignal.timeout(after === undefined ? limits.live.firstMs : limits.live.waitMs)
      const until = AbortSignal.any([signal, late])
      if (readers < most) {
        readers += 1
        while (!isDue(run, after) && !until.aborted) await next(waiting, run, until)
        readers -= 1
      }
      rest()
      const what = { run, story: story ?? null }
      return { version, at: now().toISOString(), lanes: lanesOf(what).map((lane) => shown(lane, what)) }
    },
    async *follow(what, signal) {
      const { run } = what
      followers += 1
      keepLooking()
      let after = -1
      let before = ''
      try {
        while (!signal.aborted) {
          const isNew = after === -1 ? isKnown : (versions.get(run) ?? 0) > after
          if (!isNew) {
            await next(waiting, run, signal)
            continue
          }
          const own = lanesOf(what)
          const fresh = own.filter((lane) => lane.version > after)
          const ids = own.map(({ id }) => id)
          const isFirst = after === -1
          after = version
          // Other stories of the Run change more often than the requested one.
          if (!isFirst && fresh.length === 0 && ids.join() === before) continue
          before = ids.join()
          yield { ...what, at: now().toISOString(), lanes: fresh.map((lane) => shown(lane, what)), ids }
          const ms = what.story === null ? limits.live.runRestMs : limits.live.storyRestMs
          await wait(ms, undefined, { signal }).catch(() => undefined)
        }
      } finally {
        followers -= 1
        rest()
      }
    },
    close: stop,
  }
}

function shown(
  { run: _, version: __, usdPerMinute, said, ...lane }: LaneChange & { readonly version: number },
  { story }: LaneScope,
): Now['lanes'][number] {
  const chars = story === null ? limits.live.runChars : limits.live.storyChars
  return { ...lane, said: said.slice(-chars).toWellFormed(), usd_per_minute: usdPerMinute }
}

async function next(waiting: Set<Waiter>, run: string, until: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiter = { run, wake: () => resolve() }
  waiting.add(waiter)
  until.addEventListener('abort', waiter.wake, { once: true })
  await promise
  until.removeEventListener('abort', waiter.wake)
  waiting.delete(waiter)
}
