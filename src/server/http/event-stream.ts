import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
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
}

/**
 * The event stream: what came after an id, out of the log, and then what comes. The log is read
 * anew each time, so that nothing is missed and nothing comes twice. It ends with the session.
 */
export function createEventStream(streaming: Streaming): (c: Context, after: number | undefined) => Promise<Response> {
  const { feed, pulse, redact, sessions, closing } = streaming
  let streams = 0

  return async (c, asked) => {
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
            await stream.writeSSE({ id: String(event.id), data: redact(JSON.stringify(event satisfies Event)) })
          }
          after = events.at(-1)?.id ?? after
          if (events.length > 0) continue
          const goesOn = await pulse.next(beats, limits.dashboard.heartbeatMs, signal)
          if (!goesOn && !signal.aborted) await stream.write(': still there\n\n')
        }
      } finally {
        streams -= 1
      }
    })
  }
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
