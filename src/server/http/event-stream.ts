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
  /** The server ends. */
  readonly closing: AbortSignal
  /** It has ended, whoever still reads. */
  readonly closed: AbortSignal
}

export type AskedStream = z.output<typeof eventStreamQuerySchema>

export interface EventStreams {
  open(c: Context, asker: Asker, asked: AskedStream): Promise<Response>
  /** Fulfilled when nobody reads. */
  left(): Promise<void>
}

/**
 * The event stream: what came after an id, out of the log, and then what comes. The log is read
 * anew each time, so that nothing is missed and nothing comes twice. It ends with the session.
 * Before the server ends it says so, and who reads leaves once it has asked for the last state.
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
    // An id of another state, as after it was deleted, is none here.
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

/** Runs and stories that a stream tells of, as its query names them. */
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

/** What a browser had last, when it comes back. */
function lastEventId(c: Context): number | null {
  const id = c.req.header('last-event-id')
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : null
}

function tooMany(most: number): DrydockError {
  return new DrydockError('bad_usage', `More than ${most} streams are open.`, {
    todo: 'Close some dashboard pages.',
  })
}
