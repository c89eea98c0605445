import type { Moment } from '../../../src/api/history.ts'

/** The most seconds of a whole Run at speed 1. */
const wholeSeconds = 30
/** The longest average time of one event in milliseconds, at speed 1. */
const eventMs = 400
/** The longest gap as a multiple of the average one, so that a wait such as a night is cut. */
const longestGaps = 8

/**
 * Milliseconds from the start of playback to each moment, at speed 1. Gaps keep their proportion,
 * but a long wait is cut, and events of the same second stay apart.
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
