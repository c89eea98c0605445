import type { Event } from '../domain/event.ts'
import { limits } from '../domain/limits.ts'
import type { Tone } from './screen.ts'

/** What people follow of one Run: made from its events alone. */
export interface Storyline {
  /** What the Run was asked for; null when that came before the first event that was seen. */
  kind: string | null
  state: string
  /** Of the verify loops; null outside a story. */
  attempt: number | null
  /** The last tool, or the scout that was asked. */
  last: string
  tokens: number
  /** When the first event that was seen happened, ms. */
  since: number | null
}

/** A line of the record of what happened. */
export interface Milestone {
  readonly text: string
  readonly tone: Tone
  /** More about it, for those who look closely. */
  readonly detail?: string
  /** 0 for states, 1 for what happens in them. */
  readonly depth: 0 | 1
}

export function createStoryline(): Storyline {
  return { kind: null, state: 'WAITING', attempt: null, last: '', tokens: 0, since: null }
}

/** Takes the next event in and returns the line that it deserves; null for what only the live line shows. */
export function advance(storyline: Storyline, event: Event): Milestone | null {
  const { type, data } = event
  storyline.since ??= Date.parse(event.at)
  switch (type) {
    case 'run':
      storyline.kind = String(data.kind)
      return null
    case 'run_state':
      return runState(storyline, event)
    case 'state':
      return storyState(storyline, event)
    case 'scout':
      storyline.last = `scout ${data.scout}`
      if (data.state === 'ASKED') return null
      return {
        text: `scout ${data.scout}: ${words(data.state)}`,
        tone: data.state === 'ANSWERED' ? 'plain' : 'bad',
        depth: 1,
      }
    case 'prepare':
      storyline.last = `prepare ${data.step}`
      return { text: `prepare ${data.step}`, detail: String(data.command), tone: 'plain', depth: 1 }
    case 'verification':
      return {
        text: `${data.status}${data.error_type ? ` (${data.error_type})` : ''}`,
        detail: String(data.run_id),
        tone: data.status === 'PASS' ? 'good' : 'bad',
        depth: 1,
      }
    case 'tool':
      // What ends a lane is told by the state that follows.
      if (!String(data.tool).startsWith('submit_')) storyline.last = String(data.tool)
      return null
    case 'model_call':
      if (typeof data.tokens === 'number') storyline.tokens += data.tokens
      return data.error === null ? null : { text: `model: ${data.error}`, tone: 'bad', depth: 1 }
    case 'error':
      storyline.state = 'ERROR'
      return { text: 'ERROR', detail: String(data.message), tone: 'bad', depth: 0 }
    default:
      return null
  }
}

/** What a Run without a story does while it is in MONITORING. */
const working: Readonly<Record<string, string>> = { verify: 'VERIFYING', scout: 'SCOUTING' }

function runState(storyline: Storyline, { data }: Event): Milestone | null {
  storyline.state = (data.to === 'MONITORING' && working[storyline.kind ?? '']) || String(data.to)
  if (data.to === 'WAITING') return { text: 'WAITING', tone: 'strong', depth: 0 }
  if (data.to !== 'MONITORING' || typeof data.base !== 'string') return null
  const branch = data.branch ? ` to ${data.branch}` : ''
  return { text: `from ${data.base.slice(0, 8)}${branch}`, tone: 'faint', depth: 0 }
}

const tones: Readonly<Record<string, Tone>> = { DONE: 'good', STUCK: 'bad', INFRA_ERROR: 'bad', CANCELLED: 'bad' }

function storyState(storyline: Storyline, { data }: Event): Milestone {
  const { event } = data
  storyline.state = String(data.to)
  storyline.last = ''
  storyline.attempt ??= 1
  if (event === 'retried' || event === 'slice_passed') storyline.attempt = 1
  if (event === 'failed' || event === 'replan') storyline.attempt += 1
  const fresh = event === 'failed' || event === 'replan' || data.from === 'PLANNING'
  const detail =
    event === 'replan'
      ? `${limits.failuresBeforeReplan} failures in a row: planning anew`
      : data.to === 'CODING' && fresh
        ? `attempt ${storyline.attempt}/${limits.verifyLoops}`
        : undefined
  return { text: String(data.to), tone: tones[String(data.to)] ?? 'strong', depth: 0, ...(detail && { detail }) }
}

function words(state: unknown): string {
  return String(state).toLowerCase().replaceAll('_', ' ')
}

export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (n: number) => String(n).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  return tokens < 999_950 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`
}
