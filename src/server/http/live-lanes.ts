import { z } from 'zod'
import { laneNowSchema, type Now, type NowQuery } from '../../api/now.ts'
import { limits } from '../../domain/limits.ts'

/** As the owner says it, which may be a process of another version. */
const changesSchema = z.object({
  lanes: z.array(
    laneNowSchema.omit({ usd_per_minute: true }).extend({ run: z.string(), usdPerMinute: z.number().nullable() }),
  ),
  ids: z.array(z.string()),
})

type Told = z.infer<typeof changesSchema>['lanes'][number]

export interface LiveLanes {
  /** What the owner says; null when it has gone. */
  seen(changes: unknown): void
  /** What lanes of a Run do: at once, or with `after` once that has changed or time is up. */
  read(run: string, query: NowQuery, signal: AbortSignal): Promise<Now>
  close(): void
}

interface Looking {
  readonly look: (isLooking: boolean) => void
  readonly now: () => Date
  /** Requests that may wait at once; one more is answered as it is. */
  readonly most: number
}

/** What lanes do at this moment, asked of their owner only while somebody looks. */
export function createLiveLanes({ look, now, most }: Looking): LiveLanes {
  const lanes = new Map<string, Told>()
  /** By Run, when something of it was heard last. */
  const versions = new Map<string, number>()
  const waiting = new Set<() => void>()
  let version = 0
  let isKnown = false
  let idle: NodeJS.Timeout | undefined

  function changed(runs: Iterable<string>): void {
    version += 1
    for (const run of runs) versions.set(run, version)
    for (const wake of waiting) wake()
  }

  function stop(): void {
    clearTimeout(idle)
    idle = undefined
    look(false)
    lanes.clear()
    isKnown = false
  }

  function keepLooking(): void {
    clearTimeout(idle)
    idle = undefined
    look(true)
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
    for (const lane of told.lanes) lanes.set(lane.id, lane)
    if (!isKnown) for (const run of versions.keys()) runs.add(run)
    isKnown = success
    changed(runs)
  }

  const isDue = (run: string, after: number | undefined) =>
    isKnown && (after === undefined || after > version || (versions.get(run) ?? 0) > after)

  return {
    seen,
    async read(run, { after, story }, signal) {
      keepLooking()
      if (!versions.has(run)) versions.set(run, version)
      const late = AbortSignal.timeout(after === undefined ? limits.live.firstMs : limits.live.waitMs)
      const until = AbortSignal.any([signal, late])
      while (!isDue(run, after) && !until.aborted && waiting.size < most) await next(waiting, until)
      if (waiting.size === 0) idle ??= setTimeout(stop, limits.live.lookMs).unref()
      const chars = story === undefined ? limits.live.runChars : limits.live.storyChars
      const own = [...lanes.values()].filter(
        (lane) => lane.run === run && (story === undefined || lane.story === story),
      )
      return { version, at: now().toISOString(), lanes: own.map((lane) => shown(lane, chars)) }
    },
    close: stop,
  }
}

function shown({ run: _, usdPerMinute, said, ...lane }: Told, chars: number): Now['lanes'][number] {
  return { ...lane, said: said.slice(-chars).toWellFormed(), usd_per_minute: usdPerMinute }
}

async function next(waiting: Set<() => void>, until: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.add(resolve)
  until.addEventListener('abort', () => resolve(), { once: true })
  await promise
  waiting.delete(resolve)
}
