import type { Context } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import type { z } from 'zod'
import type { Event, eventStreamQuerySchema, Owner } from '../../api/events.ts'
import type { EventFeed } from '../../app/views/event-feed.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Access, Asker } from './access.ts'
import type { LaneScope, LiveLanes } from './live-lanes.ts'
import type { Pulse } from './pulse.ts'
import { refusal } from './refusal.ts'

interface Streaming {
  readonly feed: EventFeed
  readonly pulse: Pulse
  readonly live: Pick<LiveLanes, 'follow'>
  readonly redact: (text: string) => string
  readonly access: Pick<Access, 'streams' | 'lookMs'>
  /** Aborted when the server starts to end. */
  readonly closing: AbortSignal
  /** Aborted when the server has ended, even if clients are still reading. */
  readonly closed: AbortSignal
}

export type AskedStream = z.output<typeof eventStreamQuerySchema>

export interface EventStreams {
  open(c: Context, asker: Asker, asked: AskedStream): Promise<Response>
  /** Resolves when no client is reading. */
  left(): Promise<void>
}

/**
 * The event stream: past events after an id, and then new ones. The log itself is read each time,
 * so that every event is sent exactly once. The stream ends with the session. When the server is
 * about to end, it sends `ending`; clients leave after asking for the last state.
 */
export function createEventStreams(streaming: Streaming): EventStreams {
  const { feed, pulse, live, redact, access, closing, closed } = streaming
  const most = access.streams
  let streams = 0
  const each = new Map<string | null, number>()
  let allLeft = () => {}

  function count(name: string | null, more: 1 | -1): void {
    streams += more
    const left = (each.get(name) ?? 0) + more
    if (left > 0) each.set(name, left)
    else each.delete(name)
    if (streams === 0) allLeft()
  }

  async function open(c: Context, asker: Asker, asked: AskedStream): Promise<Response> {
    if (streams >= most.all) return refusal(c, tooMany(most.all), 503)
    if ((each.get(asker.name) ?? 0) >= most.each) return refusal(c, tooMany(most.each), 503)
    count(asker.name, 1)
    try {
      return await opened(c, asker, asked)
    } catch (error) {
      count(asker.name, -1)
      throw error
    }
  }

  async function opened(c: Context, asker: Asker, { after: asked, now = '' }: AskedStream): Promise<Response> {
    const newest = await feed.newest()
    // An id from another state, for instance from a deleted one, may be larger than the newest.
    const from = Math.min(lastEventId(c) ?? asked ?? newest, newest)
    return streamSSE(c, async (stream) => {
      const gone = new AbortController()
      stream.onAbort(() => gone.abort())
      const over = new AbortController()
      const signal = AbortSignal.any([gone.signal, closing, asker.ending(), over.signal])
      const following = followedIn(now).map((what) => tellNow(stream, what, signal))
      try {
        let after = from
        let told: boolean | null = null
        let quietMs = 0
        while (!signal.aborted && (await asker.isOpen())) {
          const beats = pulse.beats()
          const owned = pulse.owned()
          if (owned !== told) await stream.writeSSE({ event: 'owner', data: JSON.stringify({ owned } satisfies Owner) })
          told = owned
          const events = await feed.after(after)
          for (const event of events) {
            if (signal.aborted) return
            await write(stream, event)
          }
          after = events.at(-1)?.id ?? after
          if (events.length > 0) continue
          const goesOn = await pulse.next(beats, access.lookMs, signal)
          quietMs = goesOn ? 0 : quietMs + access.lookMs
          if (quietMs < limits.dashboard.heartbeatMs || signal.aborted) continue
          quietMs = 0
          await stream.write(': still there\n\n')
        }
        if (closing.aborted && !gone.signal.aborted) {
          for (const event of await feed.after(after)) await write(stream, event)
          await stream.writeSSE({ event: 'ending', data: '{}' })
          await aborted(AbortSignal.any([gone.signal, closed]))
        }
      } finally {
        over.abort()
        await Promise.all(following)
        count(asker.name, -1)
      }
    })
  }

  async function tellNow(stream: SSEStreamingApi, what: LaneScope, signal: AbortSignal): Promise<void> {
    for await (const changes of live.follow(what, signal)) {
      await stream.writeSSE({ event: 'now', data: redact(JSON.stringify(changes)) })
    }
  }

  const write = (stream: SSEStreamingApi, event: Event) =>
    stream.writeSSE({ id: String(event.id), data: redact(JSON.stringify(event)) })

  return {
    open,
    left: () => (streams === 0 ? Promise.resolve() : new Promise((resolve) => (allLeft = resolve))),
  }
}

/** The Runs and stories to report live, from the stream's query. */
function followedIn(now: string): readonly LaneScope[] {
  const names = [...new Set(now.split(',').filter(Boolean))].slice(0, limits.live.followed)
  return names.map((name) => {
    const [run = '', story = null] = name.split('/')
    return { run, story }
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** The id of the last event that a reconnecting browser received. */
function lastEventId(c: Context): number | null {
  const id = c.req.header('last-event-id')
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : null
}

function tooMany(most: number): DrydockError {
  return new DrydockError('bad_usage', `More than ${most} streams are open.`, {
    todo: 'Close some dashboard pages.',
  })
}
