import type { Event } from '../../domain/event.ts'
import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import { type Cap, isOfTokens, type ReachedBound } from '../../domain/run/budget.ts'
import { pausedHow } from '../../domain/run/pause-cause.ts'
import type { Milestone } from './milestone.ts'

const owners: Readonly<Record<Cap, string>> = {
  run_usd: "the run's",
  story_usd: "the story's",
  run_tokens: "the run's",
  story_tokens: "the story's",
}

/** A bound that prevents a call, in the form of a `paused` event or a result. */
export function describeCap({ cap, limit, spent, needed, left = 0 }: ReachedBound): string {
  const isTokens = isOfTokens(cap)
  const format = (value: number) => (isTokens ? formatCount(value) : formatUsd(value))
  const owner = owners[cap]
  const whole = `${format(limit)}${isTokens ? ' tokens' : ''}`
  // Older versions of Drydock did not store the cost of the call.
  if (needed === undefined) return `${format(spent)} of ${owner} ${whole} is spent (budget.${cap})`
  const next = isTokens ? `may use up to ${format(needed)} tokens` : `may cost up to ${format(needed)}`
  return `the next call ${next}; ${format(left)} of ${owner} ${whole} ${isTokens ? 'are' : 'is'} left (budget.${cap})`
}

/** The line for an event about money; null for any other event. */
export function takeMoney({ type, data }: Event): Milestone | null {
  switch (type) {
    case 'paused':
      if (data.reason === 'user') {
        return {
          text: 'pausing',
          detail: `${pausedHow(data)}; the current steps end first`,
          tone: 'bad',
          depth: 0,
        }
      }
      return { text: 'PAUSED', detail: describeCap(data), tone: 'bad', depth: 0 }
    case 'budget': {
      const { runUsd, storyUsd, runTokens } = data
      const detail = `a run ${formatUsd(runUsd)}, a story ${formatUsd(storyUsd)}, ${formatCount(runTokens)} tokens`
      return { text: 'budget raised', detail, tone: 'strong', depth: 0 }
    }
    case 'unpriced': {
      const detail = `${data.models.join(', ')}: only tokens limit this run (${formatCount(data.run_tokens)})`
      return { text: 'no known price', detail, tone: 'strong', depth: 0 }
    }
    default:
      return null
  }
}
