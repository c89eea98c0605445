import { describe, expect, test } from 'vitest'
import { likelyRest, type StoryUsage, withLikelyRaise } from '../../../src/domain/run/likely-rest.ts'

const made = (calls: number, usd: number) => ({ calls, microUsd: usd * 1e6, tokens: 0 })
const story = (id: string, calls: number, usd: number, state: 'open' | 'done' | 'ended' = 'open'): StoryUsage => ({
  story: id,
  isDone: state === 'done',
  isEnded: state !== 'open',
  ...made(calls, usd),
})
const rest = (run: ReturnType<typeof made>, ...stories: StoryUsage[]) =>
  likelyRest({ run, stories }, 'microUsd', 50_000)

describe('the rest of a run', () => {
  test.each([
    ['nothing is known: a dozen of the next call', rest(made(0, 0)), 0.6],
    ['one story: a dozen of its calls', rest(made(2, 0.02), story('a', 2, 0.02)), 0.12],
    ['one long story: as much again', rest(made(100, 1), story('a', 100, 1)), 1],
    ['done stories tell what one takes', rest(made(40, 4), story('a', 40, 4, 'done'), story('b', 0, 0)), 4],
    ['what has ended needs nothing', rest(made(40, 4), story('a', 40, 4, 'ended'), story('b', 40, 4)), 4],
    ['each story that waits counts', rest(made(10, 1), story('a', 10, 1), story('b', 0, 0)), 1.2 + 2.2],
  ])('%s', (_, likely, usd) => {
    expect(likely.run / 1e6).toBeCloseTo(usd)
  })

  test('raises dollars enough for the run where only the bound of a story is in the way', () => {
    const bound = { cap: 'story_usd', limit: 1, spent: 1, needed: 0.1, raise: 0.1 } as const
    const budget = { runUsd: 2, storyUsd: 1, runTokens: 1 }
    const figures = { run: made(20, 2), stories: [story('a', 10, 1), story('b', 10, 1)] }
    // 0.1 for the call, and 12 calls at 0.1 for each of the two stories.
    expect(withLikelyRaise(bound, { ...figures, budget, story: 'a' }).raise).toBeCloseTo(2.5)
  })
})
