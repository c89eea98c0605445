import type { Moment } from '../../../src/api/history.ts'

/** Seconds that a whole Run takes at speed 1, at most. */
const wholeSeconds = 30
/** Milliseconds that one event takes on average at speed 1, at most. */
const eventMs = 400
/** How many average gaps a long wait, such as a night, may count for. */
const longestGaps = 8

/**
 * Milliseconds from the start of playing to each moment, at speed 1. Gaps keep their proportion,
 * but a long wait is cut, and events of one second stay apart.
 */
export function paceOf(moments: readonly Moment[]): readonly number[] {
  const times = moments.map(({ at }) => Date.parse(at))
  const gaps = times.slice(1).map((time, n) => Math.max(0, time - (times[n] ?? time)))
  const average = Math.max(1, sumOf(gaps) / Math.max(1, gaps.length))
  const weights = gaps.map((gap) => 1 + Math.min(gap / average, longestGaps))
  const perWeight = Math.min(wholeSeconds * 1_000, gaps.length * eventMs) / Math.max(1, sumOf(weights))
  let at = 0
  return [0, ...weights.map((weight) => (at += weight * perWeight))]
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0)
