import type { PlannedStory } from './planned-story.ts'

/** The size of a story, by the number of its criteria. */
export const storySizes = ['small', 'medium', 'large'] as const

export type StorySize = (typeof storySizes)[number]

/** A built story of an earlier Run, and the cost of all its calls. */
export interface BuiltStory {
  readonly size: StorySize
  readonly usd: number
}

/** Dollars; a quarter of the built stories cost less than `low`, a quarter more than `high`. */
export interface CostRange {
  readonly low: number
  readonly median: number
  readonly high: number
}

export interface PlanEstimate {
  /** Number of built stories behind the estimate. */
  readonly basis: number
  readonly stories: readonly (CostRange & {
    readonly id: string
    readonly size: StorySize
    /** True if too few stories of the same size were built, so that all sizes count. */
    readonly anySize: boolean
  })[]
  /** Sums over the stories; this range is wider than the expected one. */
  readonly total: CostRange
}

/** Fewer built stories are too few for an estimate. */
export const leastBasis = 5

export function sizeOf({ acceptance_criteria }: Pick<PlannedStory, 'acceptance_criteria'>): StorySize {
  const asked = acceptance_criteria.filter((criterion) => criterion.trim() !== '').length
  return asked <= 2 ? 'small' : asked <= 5 ? 'medium' : 'large'
}

/**
 * Estimates the cost of stories from built ones: of the same size if there are enough, else of any
 * size. Null while too few were built.
 */
export function estimateOf(stories: readonly PlannedStory[], built: readonly BuiltStory[]): PlanEstimate | null {
  if (built.length < leastBasis) return null
  const each = stories.map((story) => {
    const size = sizeOf(story)
    const alike = built.filter((other) => other.size === size)
    const anySize = alike.length < leastBasis
    return { id: story.id, size, anySize, ...rangeOf((anySize ? built : alike).map(({ usd }) => usd)) }
  })
  const sum = (pick: (range: CostRange) => number) => each.reduce((before, range) => before + pick(range), 0)
  return {
    basis: built.length,
    stories: each,
    total: { low: sum(({ low }) => low), median: sum(({ median }) => median), high: sum(({ high }) => high) },
  }
}

function rangeOf(costs: readonly number[]): CostRange {
  const sorted = costs.toSorted((a, b) => a - b)
  return { low: quantile(sorted, 0.25), median: quantile(sorted, 0.5), high: quantile(sorted, 0.75) }
}

/** Interpolates between the two nearest values. */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0]
  return below + (above - below) * (place - Math.floor(place))
}
