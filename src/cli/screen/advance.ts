import type { Event, EventOfType } from '../../domain/event.ts'
import { limits } from '../../domain/limits.ts'
import { advanceCrew } from './crew-storyline.ts'
import type { Milestone } from './milestone.ts'
import { pausedByHand, takePause } from './paused-lanes.ts'
import type { Tone } from './screen.ts'
import { advanceWork, attemptOf, type Storyline } from './storyline.ts'

/**
 * Takes the next event in and returns the line that it deserves; null for what only the live line
 * shows.
 */
export function advance(storyline: Storyline, event: Event): Milestone | null {
  storyline.since ??= Date.parse(event.at)
  if (event.type === 'run') storyline.kind = event.data.kind
  if (event.type === 'state' || event.type === 'result') takePause(storyline.paused, event)
  if (storyline.kind === 'spec') return advanceCrew(storyline, event)
  if (event.type === 'run_state') return runState(storyline, event)
  return event.type === 'state' ? storyState(storyline, event) : advanceWork(storyline, event)
}

/** What a Run without a story does while it is in MONITORING. */
const working: Readonly<Record<string, string>> = { verify: 'VERIFYING', scout: 'SCOUTING' }

function runState(storyline: Storyline, { data }: EventOfType<'run_state'>): Milestone | null {
  storyline.state = (data.to === 'MONITORING' && working[storyline.kind ?? '']) || data.to
  if (data.to === 'WAITING') return { text: 'WAITING', tone: 'strong', depth: 0 }
  if (data.by === 'user') return pausedByHand
  if (data.to !== 'MONITORING' || data.base === undefined) return null
  const branch = data.branch ? ` to ${data.branch}` : ''
  return { text: `from ${data.base.slice(0, 8)}${branch}`, tone: 'faint', depth: 0 }
}

const tones: Readonly<Record<string, Tone>> = {
  DONE: 'good',
  STUCK: 'bad',
  INFRA_ERROR: 'bad',
  NO_CHANGE: 'bad',
  CANCELLED: 'bad',
}

function storyState(storyline: Storyline, { data }: EventOfType<'state'>): Milestone | null {
  const { event } = data
  storyline.state = data.to
  storyline.last = ''
  storyline.attempt ??= 1
  // What the budget lacks is told by the event before it.
  if (event === 'paused') return null
  if (event === 'retried' || event === 'slice_passed') storyline.attempt = 1
  if (event === 'failed' || event === 'replan') storyline.attempt += 1
  const fresh = event === 'failed' || event === 'replan' || data.from === 'PLANNING'
  const detail =
    event === 'replan'
      ? `${limits.failuresBeforeReplan} failures in a row: planning anew`
      : data.to === 'CODING' && fresh
        ? attemptOf(storyline.attempt)
        : undefined
  return { text: data.to, tone: tones[data.to] ?? 'strong', depth: 0, ...(detail && { detail }) }
}
