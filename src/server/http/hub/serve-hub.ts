import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createAdaptorServer } from '@hono/node-server'
import type { HubRows } from '../../../app/commands/hub/hub-tokens.ts'
import type { PeopleDoor } from '../../../app/commands/hub/sign-in-person.ts'
import type { WorkOptions } from '../../../app/work-options.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { leaveRoom } from '../../leave-room.ts'
import { isListening, type Listen, portOf, type ServedState, serveState } from '../serve-state.ts'
import { createAudit } from './audit.ts'
import type { Hub } from './hub.ts'
import { createHubAccess } from './hub-access.ts'
import { checkDoor, type HubDoor, namesOf } from './hub-names.ts'
import { createRequestTime, type RequestTime } from './request-time.ts'
import type { Standby } from './standby.ts'

/** The dependencies that the caller supplies. */
export interface HubServing {
  readonly door: HubDoor
  /** Options for work that people start in the dashboard. */
  readonly options: WorkOptions
  /** The hub that is active instead; null while this one is. */
  readonly standby?: Standby
  /** Receives the lines of the audit log. */
  readonly onAudit: (line: string) => void
  /** Receives bugs. */
  readonly onError: (error: unknown) => void
  /** Replaces the listening socket; for requests within this process. */
  readonly listen?: Listen
}

export interface ServedHub extends Omit<ServedState, 'hub'>, Omit<HubServing, 'options'> {
  readonly openHubRows: (opening: { readonly isHub: true }) => Promise<HubRows>
  readonly control: Hub['control']
  /**
   * Opens the sign-in with a provider; null if none is configured. Throws DrydockError `no_key`.
   */
  readonly openPeopleDoor: () => Promise<PeopleDoor | null>
}

/** A hub that is being served. */
export interface ServingHub {
  /** The URL for browsers and programs, as far as the hub can know it. */
  readonly url: string
  close(): Promise<void>
}

/** Serves a state to a team. Throws DrydockError `bad_usage`, `port_taken`, `worker_version`. */
export async function serveHub(served: ServedHub): Promise<ServingHub> {
  const { door } = served
  checkDoor(door)
  const people = await served.openPeopleDoor()
  // Opens the rows before listening, since that fails when workers of another version are running.
  const rows = await served.openHubRows({ isHub: true })
  try {
    let bound = door.port
    const { control, now } = served
    const time = createRequestTime(limits.hub.requestMs)
    const hub = { rows, now, audit: createAudit(served.onAudit, now), control, time }
    const access = createHubAccess(
      hub,
      namesOf(door, () => bound),
      people,
    )
    const listen: Listen = async (fetch) => {
      const http = await (served.listen?.(fetch) ?? listenAt(door, fetch, time))
      bound = portOf(http)
      return http
    }
    const { close } = await serveState({ ...served, hub }, { server: randomUUID(), access, listen })
    return {
      url: urlOf(door, bound),
      async close() {
        await close()
        await rows.close()
      },
    }
  } catch (error) {
    await rows.close()
    throw error
  }
}

async function listenAt(door: HubDoor, fetch: Parameters<Listen>[0], time: RequestTime): Promise<Server> {
  const { host, port, tls } = door
  const { headersMs: headersTimeout, git, handshakeMs: handshakeTimeout } = limits.hub
  // The longest limit of all requests; `time` enforces the usual, shorter one.
  const requestTimeout = git.requestMs
  // The interval of checks for slow clients. The default of 30 seconds would add to each limit.
  const slow = { headersTimeout, requestTimeout, connectionsCheckingInterval: limits.hub.lookMs }
  const http = createAdaptorServer(
    tls === null
      ? { fetch, createServer, serverOptions: slow }
      : { fetch, createServer: createTlsServer, serverOptions: { ...slow, handshakeTimeout, ...tls } },
  ) as Server
  http.prependListener('request', time.begin)
  http.maxConnections = limits.hub.connections
  leaveRoom(http, { waiting: limits.hub.waiting, isKnown: time.isLifted })
  const listening = await isListening(http, port, host).catch((error: NodeJS.ErrnoException) => {
    throw new DrydockError('bad_usage', `The hub cannot listen at ${host}: ${error.message}`, {
      todo: 'Name an address of this machine: drydock hub --listen HOST:PORT',
      cause: error,
    })
  })
  if (listening) return http
  throw new DrydockError('port_taken', `Port ${port} of ${host} is not free.`, {
    todo: 'Name another one: drydock hub --listen HOST:PORT',
  })
}

function urlOf({ host, tls, proxyOrigin }: HubDoor, port: number): string {
  if (proxyOrigin !== null) return proxyOrigin
  return `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
