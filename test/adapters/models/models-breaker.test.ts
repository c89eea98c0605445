import { describe, expect, test } from 'vitest'
import { afterAnswer, afterFailure, type Breaker, closedBreaker } from '../../../src/adapters/models/breaker.ts'

const patience = { failures: 3, firstPauseMs: 2_000, longestPauseMs: 300_000 }
const now = 1_000_000

function fail(breaker: Breaker, more: { retryAfterMs?: number; probe?: boolean; random?: number } = {}): Breaker {
  const { retryAfterMs = null, probe = false, random = 0 } = more
  return afterFailure(breaker, { reason: 'busy', retryAfterMs, probe }, { now, random, patience })
}

describe('a breaker', () => {
  const twice = fail(fail(closedBreaker))
  const open = fail(twice)

  test('opens with the third failure in a row, for half to all of its first pause', () => {
    expect(twice).toMatchObject({ open: false, failures: 2, until: now })
    expect(open).toEqual({ open: true, failures: 3, probes: 0, until: now + 1_000, reason: 'busy' })
    expect(fail(twice, { random: 0.999 }).until).toBeCloseTo(now + 2_000, -1)
  })

  test('forgets failures when something is answered', () => {
    expect(fail(fail(afterAnswer(twice, { probe: false })))).toMatchObject({ open: false, failures: 2 })
  })

  test('waits twice as long after each probe that fails, up to its longest pause', () => {
    const pauses: number[] = []
    let breaker = open
    for (let probe = 0; probe < 12; probe += 1) {
      breaker = fail({ ...breaker, until: 0 }, { probe: true })
      pauses.push(breaker.until - now)
    }
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, ...Array(5).fill(150_000)])
  })

  test('is closed by the answer to a probe alone, not by what was sent before it opened', () => {
    expect(afterAnswer(open, { probe: false })).toBe(open)
    expect(afterAnswer(open, { probe: true })).toEqual(closedBreaker)
  })

  test('does not grow its pause for what was sent before it opened', () => {
    expect(fail(fail(open))).toEqual(open)
  })

  test('holds everyone as long as the provider asks, closed or open, and never shorter than asked before', () => {
    const asked = fail(closedBreaker, { retryAfterMs: 70_000 })
    expect(asked).toMatchObject({ open: false, until: now + 70_000 })
    expect(fail(asked, { retryAfterMs: 10 }).until).toBe(now + 70_000)
    expect(fail(open, { retryAfterMs: 70_000 })).toMatchObject({ open: true, probes: 0, until: now + 70_000 })
    expect(fail(open, { probe: true, retryAfterMs: 70_000 })).toMatchObject({ probes: 1, until: now + 70_000 })
  })
})
