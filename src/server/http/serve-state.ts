import type { Server } from 'node:http'
import type { StateAccess } from '../../app/state-access.ts'
import { createEventFeed } from '../../app/views/event-feed.ts'
import type { ViewSources } from '../../app/views/view-sources.ts'
import type { Access } from './access.ts'
import { type Answering, createApp } from './app.ts'
import { createEventStreams } from './event-stream.ts'
import type { Hub } from './hub/hub.ts'
import { createHubWatch } from './hub/hub-watch.ts'
import type { Standby } from './hub/standby.ts'
import { createLiveLanes } from './live-lanes.ts'
import { type Connect, createPulse } from './pulse.ts'

type StateRecords = ReturnType<StateAccess['openRecords']>

/** A state in the form that every kind of server serves. */
export interface ServedState extends Omit<Answering, 'acts'>, Omit<ViewSources, 'isOwned' | 'records'> {
  /** Creates the operations, which read the state through the records that the server has open. */
  readonly actsOf: (records: StateRecords, hub: Hub | null) => Answering['acts']
  readonly openRecords: StateAccess['openRecords']
  /** The folder of the built dashboard. */
  readonly folder: string
  /** The folder of the state. */
  readonly state: string
  readonly connect: Connect
  readonly redact: (text: string) => string
  /** Set for a hub, which may be on standby. */
  readonly standby?: Standby
  /** Receives bugs. */
  readonly onError: (error: unknown) => void
}

/** Starts to listen. Throws DrydockError `port_taken`. */
export type Listen = (fetch: ReturnType<typeof createApp>['fetch']) => Promise<Server>

export interface Door {
  /** An id that differs at each start of the server. */
  readonly server: string
  readonly access: Access
  readonly listen: Listen
}

export interface ServingState {
  readonly port: number
  /** Ends the server in order: pages are told first. */
  close(): Promise<void>
}

/** Serves a state with an access control, alongside the owner of the state. */
export async function serveState(served: ServedState, { server, access, listen }: Door): Promise<ServingState> {
  const closing = new AbortController()
  const closed = new AbortController()
  const records = served.openRecords()
  const live = createLiveLanes({ look: (on) => pulse.look(on), now: served.now, most: access.streams.all })
  const pulse = await createPulse(served.connect, live.seen)
  const feed = createEventFeed({ records })
  const [ending, ended] = [closing.signal, closed.signal]
  const streams = createEventStreams({
    feed,
    pulse,
    live,
    redact: served.redact,
    access,
    closing: ending,
    closed: ended,
  })
  const sources = { ...served, records, isOwned: pulse.owned }
  const watch = served.hub && (await createHubWatch({ ...sources, state: served.state }))
  const acts = served.actsOf(records, served.hub)
  const app = createApp({
    ...served,
    acts,
    sources,
    access,
    stream: streams.open,
    live,
    closing: ending,
    server,
    watch,
  })
  const leave = async () => {
    live.close()
    pulse.close()
    await records.close()
  }
  const http = await listen(app.fetch).catch(async (error: unknown) => {
    await leave()
    throw error
  })
  return {
    port: portOf(http),
    async close() {
      closing.abort()
      await within(graceMs, streams.left())
      closed.abort()
      await endServer(http)
      await leave()
    },
  }
}

export function portOf(http: Server): number {
  const address = http.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server listens at no port')
  return address.port
}

/** Starts to listen; false if the address is taken. */
export function isListening(http: Server, port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false)
      else reject(error)
    })
    http.listen(port, host, () => resolve(true))
  })
}

/** Milliseconds for current responses to end, and for pages to ask for the last state. */
const graceMs = 3_000

async function within(ms: number, end: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([end, promise])
  clearTimeout(timer)
}

async function endServer(http: Server): Promise<void> {
  const timer = setTimeout(() => http.closeAllConnections(), graceMs)
  await new Promise((resolve) => http.close(resolve))
  clearTimeout(timer)
}
