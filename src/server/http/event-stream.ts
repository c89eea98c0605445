import type { Context } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import type { Event, Owner } from '../../api/events.ts'
import type { EventFeed } from '../../app/views/event-feed.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { sessionOf } from './guard.ts'
import type { Pulse } from './pulse.ts'
import { refusal } from './refusal.ts'
import type { Sessions } from './sessions.ts'

interface Streaming {
  readonly feed: EventFeed
  readonly pulse: Pulse
  readonly redact: (text: string) => string
  readonly sessions: Pick<Sessions, 'isOpen' | 'ending'>
  /** The server ends. */
  readonly closing: AbortSignal
  /** It has ended, whoever still reads. */
  readonly closed: AbortSignal
}

export interface EventStreams {
  open(c: Context, after: number | undefined): Promise<Response>
  /** Fulfilled when nobody reads. */
  left(): Promise<void>
}

/**
 * The event stream: what came after an id, out of the log, and then what comes. The log is read
 * anew each time, so that nothing is missed and nothing comes twice. It ends with the session.
 * Before the server ends it says so, and who reads leaves once it has asked for the last state.
 */
export function createEventStreams(streaming: Streaming): EventStreams {
  const { feed, pulse, redact, sessions, closing, closed } = streaming
  let streams = 0
  let allLeft = () => {}

  async function open(c: Context, asked: number | undefined): Promise<Response> {
    if (streams >= limits.dashboard.streams) return refusal(c, tooMany(), 503)
    const newest = await feed.newest()
    // An id of another state, as after it was deleted, is none here.
    const from = Math.min(lastEventId(c) ?? asked ?? newest, newest)
    const session = sessionOf(c)
    streams += 1
    return streamSSE(c, async (stream) => {
      const gone = new AbortController()
      stream.onAbort(() => gone.abort())
      const signal = AbortSignal.any([gone.signal, closing, sessions.ending()])
      try {
        let after = from
        let told: boolean | null = null
        while (!signal.aborted && (await sessions.isOpen(session))) {
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
          const goesOn = await pulse.next(beats, limits.dashboard.heartbeatMs, signal)
          if (!goesOn && !signal.aborted) await stream.write(': still there\n\n')
        }
        if (closing.aborted && !gone.signal.aborted) {
          for (const event of await feed.after(after)) await write(stream, event)
          await stream.writeSSE({ event: 'ending', data: '{}' })
          await aborted(AbortSignal.any([gone.signal, closed]))
        }
      } finally {
        streams -= 1
        if (streams === 0) allLeft()
      }
    })
  }

  const write = (stream: SSEStreamingApi, event: Event) =>
    stream.writeSSE({ id: String(event.id), data: redact(JSON.stringify(event)) })

  return {
    open,
    left: () => (streams === 0 ? Promise.resolve() : new Promise((resolve) => (allLeft = resolve))),
  }
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

function tooMany(): DrydockError {
  return new DrydockError('bad_usage', `More than ${limits.dashboard.streams} streams are open.`, {
    todo: 'Close some dashboard pages.',
  })
}
