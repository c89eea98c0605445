import { limits } from '../limits.ts'
import type { StoryState } from './story-machine.ts'

/** The effort that a story has taken so far. */
export interface Effort {
  readonly id: string
  /** The number of model calls. */
  readonly calls: number
  readonly workingMs: number
}

/** The effort of a story as a multiple of the others' median; null where it is not remarkable. */
export interface AgainstPeers {
  readonly calls: number | null
  readonly time: number | null
}

/**
 * Compares each story of a Run with the others that have begun. With few of them, nothing is
 * remarkable.
 */
export function againstPeers(efforts: readonly Effort[]): ReadonlyMap<string, AgainstPeers> {
  const begun = efforts.filter(({ calls }) => calls > 0)
  const few = begun.length < limits.peers.stories
  return new Map(
    efforts.map((own) => {
      const peers = begun.filter((other) => other !== own)
      const times = (pick: (effort: Effort) => number) => (few ? null : remarkable(pick(own), peers.map(pick)))
      return [own.id, { calls: times(({ calls }) => calls), time: times(({ workingMs }) => workingMs) }]
    }),
  )
}

function remarkable(own: number, others: readonly number[]): number | null {
  const median = medianOf(others)
  if (median <= 0 || own / median < limits.peers.times) return null
  return Math.round((own / median) * 10) / 10
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = 0, high = low] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return (low + high) / 2
}

/** Nobody works on a story in these states: it waits to begin, or for a human, or has ended. */
const resting: readonly StoryState[] = [
  ...(['QUEUED', 'BLOCKED', 'ESCALATED', 'PAUSED'] as const),
  ...(['DONE', 'STUCK', 'INFRA_ERROR', 'REJECTED', 'CANCELLED', 'DROPPED'] as const),
]

/** Milliseconds of work on a story: `moves` are its own, newest first, times are ISO 8601. */
export function workingMs(moves: readonly { readonly at: string; readonly to: string }[], until: string): number {
  return moves.reduce((sum, { at, to }, i) => {
    const end = moves[i - 1]?.at ?? until
    const worked = !(resting as readonly string[]).includes(to) && end > at
    return worked ? sum + Date.parse(end) - Date.parse(at) : sum
  }, 0)
}

/**
 * A description for people: `3.1× the calls and 2× the time of the median of its peers`. Null when
 * nothing is remarkable.
 */
export function describeAgainstPeers({ calls, time }: AgainstPeers): string | null {
  const parts = [calls !== null && `${calls}× the calls`, time !== null && `${time}× the time`].filter(
    (part) => part !== false,
  )
  return parts.length === 0 ? null : `${parts.join(' and ')} of the median of its peers`
}
