import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Event, Owner } from '../../src/api/events.ts'
import { open, RequestFailed } from './client.ts'

export type Connection = 'connecting' | 'live' | 'lost'

export interface Listener {
  readonly event: (event: Event) => void
  readonly owner: (owned: boolean) => void
  readonly connection: (now: Connection, before: Connection) => void
}

/** Milliseconds until the next attempt: twice as long each time that one fails. */
const retryMs = { first: 500, most: 8_000 }

/**
 * Reads the event stream from behind an event on, until it is told to stop or the session is over.
 * After a loss it goes on behind the last event that came. It is read by `fetch`, which takes the
 * session in a header; an `EventSource` takes only cookies.
 */
export function follow(start: number, listener: Listener): () => void {
  const stop = new AbortController()
  void keepReading(start, listener, stop.signal)
  return () => stop.abort()
}

async function keepReading(start: number, listener: Listener, signal: AbortSignal): Promise<void> {
  let last = start
  let now: Connection = 'connecting'
  let wait = retryMs.first
  const become = (next: Connection) => {
    const before = now
    now = next
    if (next !== before && !signal.aborted) listener.connection(next, before)
  }
  while (!signal.aborted) {
    try {
      const { body } = await open(`/api/events?after=${last}`, { signal })
      become('live')
      wait = retryMs.first
      for await (const { event: type, data } of messagesOf(body)) {
        if (signal.aborted) return
        if (type === 'owner') tell(() => listener.owner((JSON.parse(data) as Owner).owned))
        if (type !== undefined) continue
        const event = JSON.parse(data) as Event
        if (event.id <= last) continue
        last = event.id
        tell(() => listener.event(event))
      }
    } catch (error) {
      // The page of whoever is not signed in takes this one's place.
      if (error instanceof RequestFailed && error.status === 401) return
    }
    become('lost')
    await pause(wait, signal)
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const stopped = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', stopped, { once: true })
  })
}
