import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import type { Commands } from '../../app/commands/commands.ts'
import type { Drydock } from '../../app/drydock.ts'
import { createEventFeed } from '../../app/views/event-feed.ts'
import type { ViewSources } from '../../app/views/view-sources.ts'
import type { WorkOptions } from '../../app/work-options.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { createApp } from './app.ts'
import { createEventStreams, type EventStreams } from './event-stream.ts'
import { installationSecret } from './installation-secret.ts'
import { type Connect, createPulse, type Pulse } from './pulse.ts'
import type { Answering } from './route-answers.ts'
import { announceServer, findServer, withdrawServer } from './running-server.ts'
import { ensureGeneration, renewGeneration, sessionGeneration } from './session-generation.ts'
import { createSessions, loginToken, type Signing } from './sessions.ts'

/** What the caller supplies. */
export interface DashboardServing {
  /** For the work that browsers start. */
  readonly options: WorkOptions
  /** In place of Drydock's own; for attacks on the server. */
  readonly commands?: Commands
  /** The port to try first; the next that is free when it is taken. */
  readonly port?: number
  /** All sessions and links of the installation are ended first. */
  readonly endSessions?: boolean
  /** Told of bugs. */
  readonly onError: (error: unknown) => void
}

export interface ServedDashboard
  extends Omit<DashboardServing, 'options' | 'commands'>,
    Answering,
    Omit<ViewSources, 'isOwned' | 'records'> {
  readonly openRecords: Drydock['openRecords']
  /** Folder of the state, which must exist, and of those of the whole installation. */
  readonly state: string
  readonly installation: string
  /** Folder of the built dashboard. */
  readonly folder: string
  readonly connect: Connect
  readonly redact: (text: string) => string
}

/** A dashboard that is served, by this process or by another. */
export interface Dashboard {
  readonly url: string
  /** Opens it in a browser that has no session yet; works once. */
  readonly link: string
  /** This process serves it. */
  readonly own: boolean
  close(): Promise<void>
}

/**
 * Serves a state to browsers of this machine, beside whoever owns it; where another process does so
 * already, names that. DrydockError `port_taken`.
 */
export async function serveDashboard(served: ServedDashboard): Promise<Dashboard> {
  const secret = await installationSecret(served.installation)
  const { installation, state: folder } = served
  await (served.endSessions ? renewGeneration : ensureGeneration)(installation)
  const signing = (server: string): Signing => ({
    ...{ secret, server, state: folder, now: served.now },
    generation: () => sessionGeneration(installation),
    renewGeneration: () => renewGeneration(installation),
  })
  const running = await findServer(folder)
  if (running !== null) {
    return { ...(await addressOf(running.port, signing(running.server))), own: false, close: async () => {} }
  }
  const server = randomUUID()
  const closing = new AbortController()
  const records = served.openRecords()
  const pulse = await createPulse(served.connect)
  const closed = new AbortController()
  const { http, port, streams } = await listen(served, {
    ...{ records, pulse, signing: signing(server), closing: closing.signal, closed: closed.signal },
  })
  await announceServer(served.state, { server, port })
  let ended: Promise<void> | null = null
  const end = async () => {
    closing.abort()
    await withdrawServer(served.state, { server, port })
    await within(graceMs, streams.left())
    closed.abort()
    await endServer(http)
    pulse.close()
    await records.close()
  }
  return {
    ...(await addressOf(port, signing(server))),
    own: true,
    close() {
      ended ??= end()
      return ended
    },
  }
}

/** How long what is being answered may take, and pages to ask for the last state. */
const graceMs = 1_000

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

async function addressOf(port: number, signing: Signing): Promise<Pick<Dashboard, 'url' | 'link'>> {
  const url = `http://127.0.0.1:${port}`
  return { url, link: `${url}/#token=${await loginToken(signing)}` }
}

interface Listening {
  readonly records: ReturnType<ServedDashboard['openRecords']>
  readonly pulse: Pulse
  readonly signing: Signing
  readonly closing: AbortSignal
  readonly closed: AbortSignal
}

async function listen(
  served: ServedDashboard,
  { records, pulse, signing, closing, closed }: Listening,
): Promise<{ readonly http: Server; readonly port: number; readonly streams: EventStreams }> {
  const { redact, port: first = limits.dashboard.port } = served
  const sessions = createSessions(signing)
  const feed = createEventFeed({ records })
  const streams = createEventStreams({ feed, pulse, redact, sessions, closing, closed })
  let bound = 0
  const app = createApp({
    ...served,
    sources: { ...served, records, isOwned: pulse.owned },
    sessions,
    stream: streams.open,
    port: () => bound,
    server: signing.server,
  })
  for (let port = first; port < first + limits.dashboard.ports && port < 65_536; port += 1) {
    const http = createAdaptorServer({ fetch: app.fetch }) as Server
    if (!(await isListening(http, port))) continue
    const address = http.address()
    bound = typeof address === 'object' && address !== null ? address.port : port
    return { http, port: bound, streams }
  }
  pulse.close()
  await records.close()
  throw new DrydockError('port_taken', `No port from ${first} on is free.`, {
    todo: 'Name another port: drydock serve --port',
  })
}

/** On this machine's own address alone: nobody else reaches it. */
function isListening(http: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false)
      else reject(error)
    })
    http.listen(port, '127.0.0.1', () => resolve(true))
  })
}
