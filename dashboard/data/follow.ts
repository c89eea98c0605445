import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Event, Owner } from '../../src/api/events.ts'
import type { NowChanges } from '../../src/api/now.ts'
import { pause } from './pause.ts'
import { RequestFailed, reach } from './reach.ts'

/** `ended` is a loss that the server has announced: what is shown is the last word. */
export type Connection = 'connecting' | 'live' | 'lost' | 'ended'

export interface Listener {
  readonly event: (event: Event) => void
  readonly owner: (owned: boolean) => void
  readonly now: (changes: NowChanges) => void
  readonly connection: (now: Connection, before: Connection) => void
  /** The server is about to end. It waits a moment until the stream is left. */
  readonly ending: () => void
  /** The session is over: nothing more is tried. */
  readonly refused: () => void
}

export interface Following {
  /** Ends for good. */
  stop(): void
  /** Wants to be told of other conversations than before, by their names. */
  watch(names: readonly string[]): void
  /** Lets a server go that is about to end. */
  leave(): void
}

/**
 * Milliseconds until the next attempt: twice as long each time that one fails. `ended`: at least
 * until a server is gone that has said that it ends.
 */
const retryMs = { first: 500, most: 8_000, ended: 2_500 }

/**
 * Reads the event stream of a session from behind an event on, until it is told to stop or the
 * session is over. After a loss it goes on behind the last event that came. It is read by `fetch`,
 * which takes the session in a header; an `EventSource` takes only cookies.
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

/** What is read with one connection. */
interface Visit {
  /** What it tells of beside events. */
  readonly names: readonly string[]
  readonly signal: AbortSignal
  /** Whether it was ended for another one that tells of something else. */
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
    // The next one goes on behind the last event: nothing was lost.
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

/** A bug of who listens is no loss of the connection. */
function tell(what: () => void): void {
  try {
    what()
  } catch (error) {
    reportError(error)
  }
}
