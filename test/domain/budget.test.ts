import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Budget, capInTheWay, raiseFlags, shortagesOf, withRunUsd } from '../../src/domain/run/budget.ts'

const budget: Budget = { runUsd: 2, storyUsd: 1, runTokens: 1_000 }
const none = { microUsd: 0, tokens: 0 }
const spent = (run: object, story: object | null = {}) => ({
  run: { ...none, ...run },
  story: story && { ...none, ...story },
})

test('a call may use exactly what is left, and not a millionth of a dollar or a token more', () => {
  const run = spent({ microUsd: 1_500_000 })
  expect(capInTheWay(budget, run, { microUsd: 500_000, tokens: 1_000 })).toBeNull()
  expect(capInTheWay(budget, run, { microUsd: 500_001, tokens: 1_000 })).toBe('run_usd')
  expect(capInTheWay(budget, run, { microUsd: 500_000, tokens: 1_001 })).toBe('run_tokens')
  const story = spent({ microUsd: 900_000 }, { microUsd: 900_000 })
  expect(capInTheWay(budget, story, { microUsd: 100_000, tokens: 1 })).toBeNull()
  expect(capInTheWay(budget, story, { microUsd: 100_001, tokens: 1 })).toBe('story_usd')
})

test('a call about no story is bounded by its Run alone', () => {
  expect(capInTheWay(budget, spent({}, null), { microUsd: 1_900_000, tokens: 1 })).toBeNull()
})

test('a call whose price is unknown is bounded by its tokens', () => {
  expect(capInTheWay(budget, spent({}), { microUsd: null, tokens: 1_000 })).toBeNull()
  expect(capInTheWay(budget, spent({ tokens: 1 }), { microUsd: null, tokens: 1_000 })).toBe('run_tokens')
})

test('any order of reservations and settlements stays within the bounds', () => {
  const amount = fc.nat(400_000)
  const calls = fc.array(fc.record({ reserved: amount, used: amount, settleAt: fc.nat(5) }), { maxLength: 40 })
  fc.assert(
    fc.property(calls, (wanted) => {
      let open: { reserved: number; used: number; at: number }[] = []
      let settled = 0
      for (const [i, { reserved, used, settleAt }] of wanted.entries()) {
        for (const done of open.filter(({ at }) => at <= i)) settled += done.used
        open = open.filter(({ at }) => at > i)
        const microUsd = open.reduce((sum, each) => sum + each.reserved, settled)
        const now = spent({ microUsd }, { microUsd })
        if (capInTheWay(budget, now, { microUsd: reserved, tokens: 1 }) !== null) continue
        open.push({ reserved, used: Math.min(reserved, used), at: i + settleAt })
        expect(open.reduce((sum, each) => sum + each.used, settled)).toBeLessThanOrEqual(budget.storyUsd * 1e6)
      }
    }),
  )
})

test('dollars that were named for a Run take the place of the configured ones, and of those of a task', () => {
  expect(withRunUsd(budget, null, { stories: 'one' })).toEqual(budget)
  expect(withRunUsd(budget, 9, { stories: 'named' })).toEqual({ ...budget, runUsd: 9 })
  expect(withRunUsd(budget, 9, { stories: 'one' })).toEqual({ ...budget, runUsd: 9, storyUsd: 9 })
})

test('tokens of a story bound calls whose price is not known; what came from a cache is counted once', () => {
  const bounds: Budget = { runUsd: 20, storyUsd: 5, runTokens: 20_000_000, storyTokens: 15_000_000 }
  const run = { microUsd: 0, tokens: 18_000_000 }
  const wanted = { microUsd: null, tokens: 50_000 }
  const cached = { microUsd: 0, tokens: 18_000_000, cacheRead: 14_000_000 }
  expect(shortagesOf(bounds, { run, story: cached }, wanted)).toEqual([])
  const fresh = { microUsd: 0, tokens: 14_960_000, cacheRead: 0 }
  const short = {
    cap: 'story_tokens',
    limit: 15_000_000,
    spent: 14_960_000,
    left: 40_000,
    needed: 50_000,
    raise: 10_000,
  }
  expect(shortagesOf(bounds, { run, story: fresh }, wanted)).toEqual([short])
  expect(raiseFlags([{ cap: 'story_tokens', raise: 10_000 }])).toBe('--raise-tokens 10000')
  // Dollars bound a call with a price, and a Run of an older Drydock has no bound on tokens.
  expect(shortagesOf(bounds, { run, story: fresh }, { ...wanted, microUsd: 1 })).toEqual([])
  const { storyTokens: _, ...older } = bounds
  expect(shortagesOf(older, { run, story: fresh }, wanted)).toEqual([])
})
