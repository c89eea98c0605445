import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Event, Owner } from '../../src/api/events.ts'
import type { NowChanges } from '../../src/api/now.ts'
import { pause } from './pause.ts'
import { RequestFailed, reach } from './reach.ts'

/** `ended` means that the server has announced its end, so the shown state is final. */
export type Connection = 'connecting' | 'live' | 'lost' | 'ended'

export interface Listener {
  readonly event: (event: Event) => void
  readonly owner: (owned: boolean) => void
  readonly now: (changes: NowChanges) => void
  readonly connection: (now: Connection, before: Connection) => void
  /** The server is about to end. It waits a moment for clients to leave the stream. */
  readonly ending: () => void
  /** The session has ended, so no further attempt is made. */
  readonly refused: () => void
}

export interface Following {
  /** Ends the reading for good. */
  stop(): void
  /** Switches to the conversations of these names. */
  watch(names: readonly string[]): void
  /** Leaves a server that is about to end. */
  leave(): void
}

/**
 * Milliseconds until the next attempt, doubled after each failure. `ended`: the least time until a
 * server that announced its end is gone.
 */
const retryMs = { first: 500, most: 8_000, ended: 2_500 }

/**
 * Reads the event stream of a session after a given event, until it is stopped or the session ends.
 * After a lost connection it continues after the last received event. It uses `fetch`, which can
 * send the session in a header; an `EventSource` only sends cookies.
 */
export function follow(session: string, start: number, watched: readonly string[], listener: Listener): Following {
  const stop = new AbortController()
  let visit = new AbortController()
  let names = watched
  let isSwitched = false
  const nextVisit = () => {
    visit = new AbortController()
    isSwitched = false
    return { names, signal: AbortSignal.any([stop.signal, visit.signal]), isSwitched: () => isSwitched }
  }
  void keepReading({ session, start, listener, signal: stop.signal, nextVisit })
  return {
    stop: () => stop.abort(),
    watch(next) {
      if (next.join() === names.join()) return
      names = next
      isSwitched = true
      visit.abort()
    },
    leave: () => visit.abort(),
  }
}

interface Reading {
  readonly session: string
  readonly start: number
  readonly listener: Listener
  readonly signal: AbortSignal
  readonly nextVisit: () => Visit
}

/** The reading of one connection. */
interface Visit {
  /** The names that it streams in addition to events. */
  readonly names: readonly string[]
  readonly signal: AbortSignal
  /** True if it was ended in favour of one with other names. */
  readonly isSwitched: () => boolean
}

async function keepReading({ session, start, listener, signal, nextVisit }: Reading): Promise<void> {
  let last = start
  let now: Connection = 'connecting'
  let wait = retryMs.first
  let isEnding = false
  const become = (next: Connection) => {
    const before = now
    now = next
    if (next !== before && !signal.aborted) listener.connection(next, before)
  }
  while (!signal.aborted) {
    const visit = nextVisit()
    try {
      const now = visit.names.join()
      const asked = new URLSearchParams({ after: String(last), ...(now !== '' && { now }) })
      const { body } = await reach(`/api/events?${asked}`, { signal: visit.signal }, session)
      become('live')
      isEnding = false
      wait = retryMs.first
      for await (const { event: type, data } of messagesOf(body)) {
        if (signal.aborted) return
        if (type === 'owner') tell(() => listener.owner((JSON.parse(data) as Owner).owned))
        if (type === 'now') tell(() => listener.now(JSON.parse(data) as NowChanges))
        if (type === 'ending') {
          isEnding = true
          tell(listener.ending)
        }
        if (type !== undefined) continue
        const event = JSON.parse(data) as Event
        if (event.id <= last) continue
        last = event.id
        tell(() => listener.event(event))
      }
    } catch (error) {
      if (error instanceof RequestFailed && error.status === 401) {
        if (!signal.aborted) listener.refused()
        return
      }
    }
    // The next connection continues after the last event, so none is lost.
    if (visit.isSwitched()) continue
    become(isEnding ? 'ended' : 'lost')
    await pause(isEnding ? Math.max(wait, retryMs.ended) : wait, signal)
    wait = Math.min(wait * 2, retryMs.most)
  }
}

async function* messagesOf(body: Response['body']) {
  if (body === null) return
  const reader = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
}

/** A bug in a listener is not a lost connection. */
function tell(what: () => void): void {
  try {
    what()
  } catch (error) {
    reportError(error)
  }
}
