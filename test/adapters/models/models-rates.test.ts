import { describe, expect, test } from 'vitest'
import { createRates } from '../../../src/adapters/models/rates.ts'

const now = Date.parse('2031-01-01T00:00:00Z')

function learned(headers: Record<string, string>, tokens = 0) {
  const rates = createRates()
  rates.spent(tokens)
  rates.learn(new Map(Object.entries(headers)), now)
  return rates
}

const openai = (unit: string, left: { limit: number; remaining: number; reset: string }) => ({
  [`x-ratelimit-limit-${unit}`]: String(left.limit),
  [`x-ratelimit-remaining-${unit}`]: String(left.remaining),
  [`x-ratelimit-reset-${unit}`]: left.reset,
})

const anthropic = (unit: string, left: { limit: number; remaining: number; reset: string }) => ({
  [`anthropic-ratelimit-${unit}-limit`]: String(left.limit),
  [`anthropic-ratelimit-${unit}-remaining`]: String(left.remaining),
  [`anthropic-ratelimit-${unit}-reset`]: left.reset,
})

describe('limits a minute', () => {
  test('that no header tells of hold nobody up', () => {
    expect(createRates().wait(now)).toEqual({ ms: 0, unit: 'requests' })
    expect(learned({ 'x-ratelimit-remaining-requests': '0' }).wait(now).ms).toBe(0)
  })

  test.each([
    ['20ms', 20],
    ['6s', 6_000],
    ['1m0s', 60_000],
    ['1m0.5s', 60_500],
    ['30', 30_000],
    ['2031-01-01T00:00:30Z', 30_000],
  ])('come back at %s', (reset, ms) => {
    expect(learned(openai('requests', { limit: 1, remaining: 0, reset })).wait(now)).toEqual({ ms, unit: 'requests' })
  })

  test.each(['', 'soon', '-5', '1d', '2h', '1e99', '2041-01-01T00:00:00Z'])(
    'that come back at "%s" are not believed',
    (reset) => {
      expect(learned(openai('requests', { limit: 1, remaining: 0, reset })).wait(now).ms).toBe(0)
    },
  )

  test('grow back evenly: one request of sixty a minute is there after a second', () => {
    const rates = learned(anthropic('requests', { limit: 60, remaining: 0, reset: '2031-01-01T00:01:00Z' }))
    expect(rates.wait(now).ms).toBe(1_000)
    expect(rates.wait(now + 400).ms).toBe(600)
    expect(rates.wait(now + 1_000).ms).toBe(0)
  })

  test('count what has been sent since they were told', () => {
    const rates = learned(openai('requests', { limit: 60, remaining: 2, reset: '58s' }))
    for (let sent = 0; sent < 2; sent += 1) {
      expect(rates.wait(now).ms).toBe(0)
      rates.take(now)
    }
    expect(rates.wait(now).ms).toBeGreaterThan(900)
    expect(rates.wait(now + 58_000).ms).toBe(0)
  })

  test('count the tokens of recent requests', () => {
    const reset = '2031-01-01T00:01:00Z'
    const left = anthropic('input-tokens', { limit: 30_000, remaining: 1_000, reset })
    expect(learned(left, 900).wait(now).ms).toBe(0)
    expect(learned(left, 15_500).wait(now)).toEqual({ ms: 30_000, unit: 'tokens' })
    const rates = learned(left, 15_500)
    rates.spent(500)
    expect(rates.wait(now).ms).toBeCloseTo((60_000 * 7_000) / 29_000, 0)
  })

  test('that are smaller than one request are waited for whole, and then left to the provider', () => {
    const rates = learned(openai('tokens', { limit: 1_000, remaining: 500, reset: '30s' }), 50_000)
    expect(rates.wait(now).ms).toBe(30_000)
    expect(rates.wait(now + 30_000).ms).toBe(0)
  })

  test('the longest wait of several counts', () => {
    const both = {
      ...openai('requests', { limit: 10, remaining: 0, reset: '10s' }),
      ...openai('tokens', { limit: 10, remaining: 0, reset: '40s' }),
    }
    expect(learned(both, 5).wait(now)).toEqual({ ms: 20_000, unit: 'tokens' })
  })
})
