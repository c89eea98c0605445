import { limits } from '../limits.ts'
import type { Verdict } from '../verification/verdict.ts'
import type { Attempt, Extensions, StoryData } from './story.ts'

/**
 * The bounds of a story. No model extends one: not by a reply, a review, a slice or a new plan. A
 * human's `retry` resets all of them. docs/bounds.md lists them (`npm run docs`).
 */
export interface StoryBound {
  /** The name of the counted things, in the plural. */
  readonly what: string
  readonly most: number
  readonly used: (story: StoryData) => number
  /** Set for a bound that only Runs with a reviewer have; the document says so. */
  readonly isReviewed?: true
  /**
   * For the document: the events that reset the count, and the consequence of reaching the bound.
   */
  readonly anew: string
  readonly atEnd: string
}

export const storyBounds = {
  failed_verifications: {
    what: 'failed verifications',
    most: limits.verifyLoops,
    used: ({ failures }) => failures.loops,
    anew: 'a PASS of the whole change, not of a slice or of a tree that equals the base',
    atEnd: 'the story is STUCK. Flaky tests and slices count, verdicts on a merged tree do not',
  },
  flaky_verdicts: {
    what: 'failures in a row by flaky tests alone',
    most: limits.flakyVerdicts,
    used: ({ flakyInRow }) => flakyInRow,
    anew: 'any other PASS or FAIL, or the review that follows',
    atEnd: 'a budget review; a task is STUCK',
  },
  extensions: {
    what: 'extensions without progress',
    most: limits.extensions,
    used: ({ extensions }) => extensions?.given ?? 0,
    isReviewed: true,
    anew: 'a better verdict than the story ever had, a first plan, a settled finding, or the answer of a human',
    atEnd: 'a human is asked, whatever the architect says',
  },
  questions: {
    what: 'questions to the architect',
    most: limits.questions,
    used: ({ questions }) => questions,
    isReviewed: true,
    anew: 'the answer of a human',
    atEnd: 'a human is asked the next question',
  },
  review_rounds: {
    what: 'returns by one review',
    most: limits.reviewRounds,
    used: ({ reviews }) => Math.max(...Object.values(reviews).map(({ returned }) => returned)),
    isReviewed: true,
    anew: 'an approval, or the answer of a human; `editor.review_rounds` sets another number',
    atEnd: 'a human is asked',
  },
  merge_returns: {
    what: 'returns from merging',
    most: limits.mergeReturns,
    used: ({ mergeReturns }) => mergeReturns,
    isReviewed: true,
    anew: 'the answer of a human',
    atEnd: 'a human is asked',
  },
} as const satisfies Readonly<Record<string, StoryBound>>

type BoundName = keyof typeof storyBounds

export interface UsedBound {
  readonly name: BoundName
  readonly used: number
  readonly most: number
}

/** The bounds that a story has used in part. `reviewRounds` is the configured one. */
export function boundsUsed(story: StoryData, reviewRounds: number | undefined): readonly UsedBound[] {
  const names = Object.keys(storyBounds) as BoundName[]
  return names.flatMap((name) => {
    const bound: StoryBound = storyBounds[name]
    const used = bound.used(story)
    const most = name === 'review_rounds' ? (reviewRounds ?? bound.most) : bound.most
    return used === 0 ? [] : [{ name, used, most }]
  })
}

/** The used bounds in words, such as `3 of 12 failed verifications`; null when nothing is used. */
export function describeBounds(used: readonly UsedBound[]): string | null {
  if (used.length === 0) return null
  return used.map(({ name, used: count, most }) => `${count} of ${most} ${storyBounds[name].what}`).join(', ')
}

/**
 * FAILs in a row that flaky tests alone decided, after one more verdict. A verdict of the
 * infrastructure changes nothing, and any other verdict ends the row.
 */
export function countFlaky(before: number, status: Verdict['status'], isFlaky: boolean): number {
  if (status === 'INFRA_ERROR') return before
  return isFlaky && status === 'FAIL' ? before + 1 : 0
}

/** A score: higher is better. A further step counts more than any number of failing tests. */
function worth({ status, steps = 0, tests }: Attempt): number {
  if (status === 'PASS') return Number.MAX_SAFE_INTEGER
  if (status !== 'FAIL') return -1
  return steps + (tests ? 1 / (2 + tests.failed) : 0)
}

function standing({ attempts, reviews, origin }: StoryData): readonly number[] {
  const settled = Object.values(reviews).flatMap(({ findings }) => findings.filter(({ state }) => state !== 'open'))
  return [Math.max(-1, ...attempts.map(worth)), settled.length, origin === 'PLANNING' ? 0 : 1]
}

/** The extensions after one more; progress resets the count. */
export function extended(data: StoryData): Extensions {
  const { given, best } = data.extensions ?? { given: 0, best: [] }
  const now = standing(data)
  const isBetter = now.some((each, i) => each > (best[i] ?? Number.NEGATIVE_INFINITY))
  return { given: isBetter ? 1 : given + 1, best: now.map((each, i) => Math.max(each, best[i] ?? each)) }
}
