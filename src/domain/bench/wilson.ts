import { limits } from '../../domain/limits.ts'

export interface Interval {
  readonly low: number
  readonly high: number
}

/** The Wilson score interval of a rate, with 95 % confidence; null without any attempt. */
export function wilson(hits: number, attempts: number): Interval | null {
  if (attempts === 0) return null
  const z2 = limits.evaluation.intervalZ ** 2
  const rate = hits / attempts
  const middle = (rate + z2 / (2 * attempts)) / (1 + z2 / attempts)
  const spread = Math.sqrt((rate * (1 - rate)) / attempts + z2 / (4 * attempts ** 2))
  const half = (limits.evaluation.intervalZ * spread) / (1 + z2 / attempts)
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}
