import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import type { Acts } from '../../app/operations/operations.ts'
import type { WorkOptions } from '../../app/work-options.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { leaveRoom } from '../leave-room.ts'
import { installationSecret } from './installation-secret.ts'
import { createLinkAccess } from './link-access.ts'
import { announceServer, findServer, withdrawServer } from './running-server.ts'
import { isListening, type Listen, portOf, type ServedState, serveState } from './serve-state.ts'
import { ensureGeneration, renewGeneration, sessionGeneration } from './session-generation.ts'
import { createSessions, loginToken, type Signing } from './sessions.ts'

/** The dependencies that the caller supplies. */
export interface DashboardServing {
  /** Options for work that people start in the browser. */
  readonly options: WorkOptions
  /** Replaces Drydock's own operations; for attacks on the server. */
  readonly acts?: Acts
  /** The port to try first. If it is taken, the next free one is used. */
  readonly port?: number
  /** Replaces the listening socket; for requests within this process. */
  readonly listen?: Listen
  /** True to end all sessions and links of the installation first. */
  readonly endSessions?: boolean
  /** Receives bugs. */
  readonly onError: (error: unknown) => void
}

export interface ServedDashboard
  extends Omit<DashboardServing, 'options' | 'acts' | 'onError'>,
    Omit<ServedState, 'hub'> {
  /** The existing folder of the state, and the folder of the whole installation. */
  readonly state: string
  readonly installation: string
}

/** A served dashboard, of this process or of another. */
export interface Dashboard {
  readonly url: string
  /** A URL that signs in a browser without a session; works once. */
  readonly link: string
  /** True if this process serves it. */
  readonly own: boolean
  close(): Promise<void>
}

/**
 * Serves a state to browsers of this machine, alongside its owner. If another process already
 * serves it, returns that one. Throws DrydockError `port_taken`.
 */
export async function serveDashboard(served: ServedDashboard): Promise<Dashboard> {
  const secret = await installationSecret(served.installation)
  const { installation, state: folder } = served
  await (served.endSessions ? renewGeneration : ensureGeneration)(installation)
  const signing = (server: string): Signing => ({
    secret,
    server,
    state: folder,
    now: served.now,
    generation: () => sessionGeneration(installation),
    renewGeneration: () => renewGeneration(installation),
  })
  const running = await findServer(folder)
  if (running !== null) {
    return { ...(await addressOf(running.port, signing(running.server))), own: false, close: async () => {} }
  }
  const server = randomUUID()
  let bound = 0
  const access = createLinkAccess(createSessions(signing(server)), () => bound)
  const listen: Listen = async (fetch) => {
    const http = await (served.listen?.(fetch) ?? listenFrom(served.port ?? limits.dashboard.port, fetch))
    bound = portOf(http)
    return http
  }
  const { port, close } = await serveState({ ...served, hub: null }, { server, access, listen })
  await announceServer(served.state, { server, port })
  let ended: Promise<void> | null = null
  const end = async () => {
    await withdrawServer(served.state, { server, port })
    await close()
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

async function addressOf(port: number, signing: Signing): Promise<Pick<Dashboard, 'url' | 'link'>> {
  const url = `http://127.0.0.1:${port}`
  return { url, link: `${url}/#token=${await loginToken(signing)}` }
}

/** Listens on the loopback address only, which other machines cannot reach. */
async function listenFrom(first: number, fetch: Parameters<Listen>[0]): Promise<Server> {
  for (let port = first; port < first + limits.dashboard.ports && port < 65_536; port += 1) {
    const http = createAdaptorServer({ fetch }) as Server
    leaveRoom(http, { waiting: limits.dashboard.waiting })
    if (await isListening(http, port, '127.0.0.1')) return http
  }
  throw new DrydockError('port_taken', `No port from ${first} on is free.`, {
    todo: 'Name another port: drydock serve --port',
  })
}
