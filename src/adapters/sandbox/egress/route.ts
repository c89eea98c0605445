import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { AllowList, Endpoint } from './allow-list.ts'
import { isPublicAddress } from './public-address.ts'

export type Route = OpenRoute | NoRoute

export interface OpenRoute extends Endpoint {
  /**
   * Answers with the addresses that were looked at, so that a name cannot come to mean another one
   * meanwhile.
   */
  readonly lookup: LookupFunction
  /** Called when there is no connection to the host. */
  readonly onUnreached?: () => void
  /** Called when there is one: a program that tries again may succeed. */
  readonly onReached?: () => void
}

export interface NoRoute {
  readonly status: 400 | 403 | 502
  /** One line. */
  readonly reason: string
}

/** How to get to `endpoint`, or why not: 403 when it is not allowed. */
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

/** Plain characters: it goes into a status line. */
function oneLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).replace(/[^ -~]+/g, ' ')
}
