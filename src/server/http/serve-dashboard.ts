import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Records } from '../../ports/store.ts'
import type { DashboardAnswers } from './answers.ts'
import { createApp } from './app.ts'
import { createEventStream } from './event-stream.ts'
import { installationSecret } from './installation-secret.ts'
import { type Connect, createPulse } from './pulse.ts'
import type { Reading } from './reading.ts'
import { announceServer, findServer, withdrawServer } from './running-server.ts'
import { ensureGeneration, renewGeneration, sessionGeneration } from './session-generation.ts'
import { createSessions, loginToken, type Signing } from './sessions.ts'

/** What comes from who asked for it. */
export interface DashboardServing {
  readonly answers: DashboardAnswers
  readonly version: string
  /** The port to try first; the next that is free when it is taken. */
  readonly port?: number
  /** All sessions and links of the installation are ended first. */
  readonly endSessions?: boolean
  /** Told of bugs. */
  readonly onError: (error: unknown) => void
}

export interface ServedDashboard extends DashboardServing, Omit<Reading, 'records' | 'pulse'> {
  /** Folder of the state, which must exist, and of those of the whole installation. */
  readonly state: string
  readonly installation: string
  /** Folder of the built dashboard. */
  readonly folder: string
  readonly openRecords: () => (Records & { close(): Promise<void> }) | null
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
  const state = await openState(served)
  const { http, port } = await listen(served, { state, signing: signing(server), closing: closing.signal })
  await announceServer(served.state, { server, port })
  let ended: Promise<void> | null = null
  const end = async () => {
    closing.abort()
    await withdrawServer(served.state, { server, port })
    await endServer(http)
    await state.close()
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

/** How long what is being answered may take. */
const graceMs = 1_000

async function endServer(http: Server): Promise<void> {
  const timer = setTimeout(() => http.closeAllConnections(), graceMs)
  await new Promise((resolve) => http.close(resolve))
  clearTimeout(timer)
}

async function addressOf(port: number, signing: Signing): Promise<Pick<Dashboard, 'url' | 'link'>> {
  const url = `http://127.0.0.1:${port}`
  return { url, link: `${url}/#token=${await loginToken(signing)}` }
}

/** Opened when there first is something to read, and the owner's pulse. */
async function openState({ openRecords, connect }: ServedDashboard) {
  let opened: ReturnType<ServedDashboard['openRecords']> = null
  const pulse = await createPulse(connect)
  return {
    pulse,
    records() {
      opened ??= openRecords()
      return opened
    },
    async close() {
      pulse.close()
      await opened?.close()
    },
  }
}

interface Listening {
  readonly state: Awaited<ReturnType<typeof openState>>
  readonly signing: Signing
  readonly closing: AbortSignal
}

async function listen(
  served: ServedDashboard,
  { state, signing, closing }: Listening,
): Promise<{ readonly http: Server; readonly port: number }> {
  const { records, pulse } = state
  const { redact, port: first = limits.dashboard.port } = served
  const sessions = createSessions(signing)
  let bound = 0
  const app = createApp({
    ...served,
    reading: { ...served, records, pulse },
    sessions,
    stream: createEventStream({ records, pulse, redact, sessions, closing }),
    port: () => bound,
    server: signing.server,
  })
  for (let port = first; port < first + limits.dashboard.ports && port < 65_536; port += 1) {
    const http = createAdaptorServer({ fetch: app.fetch }) as Server
    if (!(await isListening(http, port))) continue
    const address = http.address()
    bound = typeof address === 'object' && address !== null ? address.port : port
    return { http, port: bound }
  }
  await state.close()
  throw new DrydockError('port_taken', `No port from ${first} on is free.`, {
    todo: 'Name another: drydock serve --port',
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
