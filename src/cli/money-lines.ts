import type { Cap } from '../domain/budget.ts'
import type { Event } from '../domain/event.ts'
import type { JsonObject } from '../domain/json.ts'
import { formatTokens } from './format-tokens.ts'
import { formatUsd } from './format-usd.ts'
import type { Milestone } from './milestone.ts'

const bounds: Readonly<Record<Cap, string>> = {
  run_usd: 'a run may cost',
  story_usd: 'a story may cost',
  run_tokens: 'a run may use',
}

/** A bound that is reached, as a `paused` event and a result tell it. */
export function describeCap({ cap, limit, spent }: JsonObject): string {
  const format = (value: unknown) =>
    cap === 'run_tokens' ? `${formatTokens(Number(value))} tokens` : formatUsd(Number(value))
  return `${format(spent)} of the ${format(limit)} that ${bounds[cap as Cap]} (budget.${cap})`
}

/** What is told of money while a Run goes on. */
export function takeMoney({ type, data }: Event): Milestone | null {
  switch (type) {
    case 'paused':
      if (data.reason === 'user') {
        const how = data.interrupted === true ? 'with Ctrl-C in its terminal; ' : ''
        return { text: 'pausing', detail: `${how}what is under way ends first`, tone: 'bad', depth: 0 }
      }
      return { text: 'PAUSED', detail: describeCap(data), tone: 'bad', depth: 0 }
    case 'budget': {
      const { runUsd, storyUsd, runTokens } = data
      const detail = `a run ${formatUsd(Number(runUsd))}, a story ${formatUsd(Number(storyUsd))}, ${formatTokens(Number(runTokens))} tokens`
      return { text: 'budget raised', detail, tone: 'strong', depth: 0 }
    }
    case 'unpriced': {
      const models = Array.isArray(data.models) ? data.models.join(', ') : ''
      const detail = `${models}: only tokens bound this run (${formatTokens(Number(data.run_tokens))})`
      return { text: 'no known price', detail, tone: 'strong', depth: 0 }
    }
    default:
      return null
  }
}
