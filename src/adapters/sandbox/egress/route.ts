import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { AllowList, Endpoint } from './allow-list.ts'
import { isPublicAddress } from './public-address.ts'

export type Route = OpenRoute | NoRoute

export interface OpenRoute extends Endpoint {
  /**
   * Returns the checked addresses, so that the name cannot resolve to another one in the meantime.
   */
  readonly lookup: LookupFunction
  /** Called when the host cannot be reached. */
  readonly onUnreached?: () => void
  /** Called when it is reached, since a program's retry may succeed. */
  readonly onReached?: () => void
}

export interface NoRoute {
  readonly status: 400 | 403 | 502
  /** One line of text. */
  readonly reason: string
}

/** The route to `endpoint`, or the reason why there is none: 403 if it is not permitted. */
export async function findRoute(allowed: AllowList, endpoint: Endpoint): Promise<Route> {
  const { host, port } = endpoint
  const reach = allowed.reach(endpoint)
  if (reach === null) return { status: 403, reason: `${host}:${port} is not among the hosts that may be reached` }
  const addresses = await addressesOf(host)
  if (!Array.isArray(addresses)) return { status: 502, reason: `${host} cannot be resolved: ${oneLine(addresses)}` }
  const fine = reach === 'any' ? addresses : addresses.filter((address) => isPublicAddress(address))
  if (fine.length === 0)
    return { status: 403, reason: `${host}:${port} is at a private address, as only a registry may be` }
  return { host, port, lookup: knownLookup(fine) }
}

export function noConnection({ host, onUnreached }: OpenRoute, error: Error): NoRoute {
  onUnreached?.()
  const errors = error instanceof AggregateError ? error.errors : [error]
  return { status: 502, reason: `no connection to ${host}: ${errors.map(oneLine).join('; ')}` }
}

async function addressesOf(host: string): Promise<string[] | Error> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function knownLookup(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, done) => {
    const [first] = entries
    if (all || first === undefined) done(null, entries)
    else done(null, first.address, first.family)
  }
}

/** Plain characters, since it becomes part of a status line. */
function oneLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).replace(/[^ -~]+/g, ' ')
}
