import { type Protocol, protocols } from '../../domain/providers.ts'
import type { Answer } from '../../http/transport.ts'
import { spanOf } from './span-of.ts'

/**
 * The remainder of one of a provider's limits, as its headers report it. The remainder grows back
 * evenly until `resetAt`. Times are in milliseconds since the epoch.
 */
interface Allowance {
  readonly unit: 'requests' | 'tokens'
  readonly limit: number
  readonly remaining: number
  readonly at: number
  readonly resetAt: number
}

/** Requests and tokens per minute, as far as a provider's answers report them. */
export interface Rates {
  /** Reads the headers of an answer. */
  learn(headers: Answer['headers'], now: number): void
  /**
   * Milliseconds until a request is within every known limit, and the unit of the limit that it
   * waits for.
   */
  wait(now: number): { readonly ms: number; readonly unit: Allowance['unit'] }
  /** Counts a request that is sent. */
  take(now: number): void
  /** Records the cost of a request; the next one is expected to cost about the same. */
  spent(tokens: number): void
}

export function createRates(): Rates {
  const known = new Map<string, Allowance>()
  let expected = 0

  const costOf = ({ unit }: Allowance) => (unit === 'requests' ? 1 : expected)

  return {
    learn(headers, now) {
      for (const [name, { unit, read }] of limitsOf) {
        const left = read(headers, now)
        if (left !== null) known.set(name, { unit, at: now, ...left })
      }
    },
    wait(now) {
      const waits = [...known.values()].map((left) => ({ ms: msUntil(left, costOf(left), now), unit: left.unit }))
      return waits.reduce((longest, each) => (each.ms > longest.ms ? each : longest), { ms: 0, unit: 'requests' })
    },
    take(now) {
      for (const [name, left] of known) {
        // After the reset nothing is known until the next answer.
        if (now >= left.resetAt) known.delete(name)
        else known.set(name, { ...left, at: now, remaining: Math.max(0, grown(left, now) - costOf(left)) })
      }
    },
    spent(tokens) {
      expected = expected === 0 ? tokens : (expected + tokens) / 2
    },
  }
}

function grown({ limit, remaining, at, resetAt }: Allowance, now: number): number {
  return remaining + (Math.max(0, limit - remaining) * (now - at)) / (resetAt - at)
}

/**
 * A request that costs more than the whole limit waits until the limit is full, and then the
 * provider decides.
 */
function msUntil(left: Allowance, cost: number, now: number): number {
  const { limit, remaining, at, resetAt } = left
  const wanted = Math.min(cost, limit)
  if (now >= resetAt || remaining >= wanted) return 0
  const enough = at + ((resetAt - at) * (wanted - remaining)) / (limit - remaining)
  return Math.max(0, enough - now)
}

type HeaderReader = (
  headers: Answer['headers'],
  now: number,
) => Pick<Allowance, 'limit' | 'remaining' | 'resetAt'> | null

/** The headers of all providers, since a proxy may pass on those of another one. */
const limitsOf = new Map(
  Object.values(protocols)
    .flatMap(({ rateLimits }): Protocol['rateLimits'] => rateLimits)
    .map(({ unit, header }) => [header, { unit, read: readAs((part) => header.replace('*', part)) }] as const),
)

function readAs(nameOf: (part: 'limit' | 'remaining' | 'reset') => string): HeaderReader {
  return (headers, now) => {
    const count = (part: 'limit' | 'remaining') => Number(headers.get(nameOf(part)) ?? Number.NaN)
    const [limit, remaining] = [count('limit'), count('remaining')]
    const resetAt = momentOf(headers.get(nameOf('reset')) ?? '', now)
    const usable = limit > 0 && remaining >= 0 && resetAt !== null && resetAt > now
    return usable ? { limit, remaining: Math.min(remaining, limit), resetAt } : null
  }
}

const hourMs = 3_600_000

/** Reads a date or a duration. Limits further away than an hour are cut. */
function momentOf(text: string, now: number): number | null {
  const span = spanOf(text)
  const moment = span === null ? Date.parse(text) : now + span
  return moment - now <= hourMs ? moment : null
}
