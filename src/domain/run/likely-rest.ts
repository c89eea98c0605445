import { limits } from '../limits.ts'
import { type Budget, isOfTokens, type Shortage } from './budget.ts'

/** Calls made so far, and their usage. */
export interface CallUsage {
  readonly calls: number
  readonly microUsd: number
  readonly tokens: number
}

/** One story of a Run, or the whole of a Run without stories. */
export interface StoryUsage extends CallUsage {
  readonly story: string | null
  readonly isDone: boolean
  readonly isEnded: boolean
}

type Unit = 'microUsd' | 'tokens'

interface Figures {
  readonly run: CallUsage
  readonly stories: readonly StoryUsage[]
}

/**
 * An estimate of the rest of a Run beyond its next call, from its own figures: a story takes as
 * much as those that are done, or else as much again as it has used, and never less than a few
 * calls of the usual size.
 */
export function likelyRest({ run, stories }: Figures, unit: Unit, needed: number) {
  const call = run.calls === 0 ? needed : run[unit] / run.calls
  const least = limits.restCalls * call
  const done = stories.filter(({ isDone, calls }) => isDone && calls > 0)
  const typical = done.length === 0 ? null : done.reduce((sum, story) => sum + story[unit], 0) / done.length
  const restOf = (made: number) => Math.max(typical === null ? made : typical - made, least)
  const open = stories.filter(({ isEnded }) => !isEnded)
  const whole = typical ?? Math.max(...open.map((story) => story[unit] + restOf(story[unit])), least)
  const rests = open.map((story) => (story.calls === 0 ? whole : restOf(story[unit])))
  return {
    /** The amount that the whole Run is likely to need still. */
    run: open.length === 0 ? restOf(run[unit]) : rests.reduce((sum, rest) => sum + rest, 0),
    /** The amount that one story is likely to need still. */
    ofStory: (name: string | null) => rests[open.findIndex(({ story }) => story === name)] ?? restOf(run[unit]),
  }
}

/**
 * Raises the shortage to an amount that is likely to be enough for the rest. Dollars raise the
 * bound of the Run and that of each story, so they must be enough for both.
 */
export function withLikelyRaise<Bound extends Partial<Shortage> & Pick<Shortage, 'cap'>>(
  bound: Bound,
  { budget, story, ...figures }: Figures & { readonly budget: Budget; readonly story: string | null },
): Bound {
  if (bound.needed === undefined) return bound
  if (isOfTokens(bound.cap)) {
    const rest = likelyRest(figures, 'tokens', bound.needed)
    const { spent = 0, limit = 0 } = bound
    const over =
      bound.cap === 'story_tokens'
        ? spent + bound.needed + rest.ofStory(story) - limit
        : figures.run.tokens + bound.needed + rest.run - budget.runTokens
    return { ...bound, raise: Math.max(bound.raise ?? 0, Math.ceil(over / 1_000) * 1_000) }
  }
  const needed = bound.needed * 1e6
  const rest = likelyRest(figures, 'microUsd', needed)
  const own = figures.stories.find((each) => each.story === story)?.microUsd ?? null
  const over = Math.max(
    figures.run.microUsd + needed + rest.run - budget.runUsd * 1e6,
    own === null ? 0 : own + needed + rest.ofStory(story) - budget.storyUsd * 1e6,
  )
  return { ...bound, raise: Math.max(bound.raise ?? 0, Math.ceil(over / 1e4) / 100) }
}
