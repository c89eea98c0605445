import type { Attempt, Extensions, StoryData } from './story.ts'

/** A verdict as a number: more is better. */
function worth({ status, tests }: Attempt): number {
  if (status === 'PASS') return 3
  if (status !== 'FAIL') return 0
  return tests ? 1 + 1 / (1 + tests.failed) : 1
}

function standing({ attempts, reviews, origin }: StoryData): readonly number[] {
  const settled = Object.values(reviews).flatMap(({ findings }) => findings.filter(({ state }) => state !== 'open'))
  return [Math.max(-1, ...attempts.map(worth)), settled.length, origin === 'PLANNING' ? 0 : 1]
}

/**
 * With one more. Only a better verdict than all before, a settled finding or a first plan is
 * progress, after which they count anew.
 */
export function extended(data: StoryData): Extensions {
  const { given, best } = data.extensions ?? { given: 0, best: [] }
  const now = standing(data)
  const isBetter = now.some((each, i) => each > (best[i] ?? Number.NEGATIVE_INFINITY))
  return { given: isBetter ? 1 : given + 1, best: now.map((each, i) => Math.max(each, best[i] ?? each)) }
}
