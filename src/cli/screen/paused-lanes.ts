import type { Event, EventOfType } from '../../domain/event.ts'
import type { Suspension } from '../../domain/lane/lane.ts'
import { budgetNames, pausedHow } from '../../domain/run/pause-cause.ts'
import { sentence } from '../../domain/sentence.ts'
import type { Milestone } from './milestone.ts'

/** Lanes that wait for their provider, by name. */
export type PausedLanes = Map<string, Suspension & { readonly story: string | null; readonly because?: 'disk' }>

/**
 * Applies an event about a lane that waits, continues or ends. Returns a line once for each outage,
 * not for each waiting lane.
 */
export function takePause(paused: PausedLanes, { type, story, data }: Event): Milestone | null {
  switch (type) {
    case 'suspended': {
      const { lane, ...suspension } = data
      const isKnown = [...paused.values()].some(({ reason }) => reason === suspension.reason)
      paused.set(lane, { ...suspension, story })
      return isKnown ? null : { text: 'PAUSED', detail: describePause(suspension), tone: 'bad', depth: 1 }
    }
    case 'resumed':
      paused.delete(data.lane)
      return paused.size > 0 ? null : { text: 'continues', tone: 'good', depth: 1 }
    case 'state':
      for (const [name, each] of paused) if (each.story === story) paused.delete(name)
      return null
    case 'result':
      paused.clear()
      return null
    default:
      return null
  }
}

export function describePause({ reason, until }: Suspension): string {
  return sentence`${reason}; next try ${formatMoment(new Date(until), new Date())}`
}

/** The pause of a whole Run, with its cause. */
export function runPause({ by, caps = [], ...cause }: EventOfType<'run_state'>['data']): Milestone {
  const detail =
    by === 'user'
      ? `${pausedHow(cause)}; continue with: drydock resume`
      : `by ${budgetNames(caps.map((cap) => ({ cap })))}`
  return { text: 'PAUSED', detail, tone: 'bad', depth: 0 }
}

/**
 * The waiting lanes for one line; null if none waits. Only the first planned retry is known from
 * events, so it is left out once it has passed.
 */
export function pausedInShort(paused: PausedLanes, now: Date): string | null {
  const next = [...paused.values()].map(({ until }) => new Date(until)).filter((until) => until > now)
  if (paused.size === 0) return null
  const [soonest] = next.toSorted((a, b) => a.getTime() - b.getTime())
  const causes = new Set(
    [...paused.values()].map(({ because }) => (because === 'disk' ? 'a full disk' : 'the provider')),
  )
  return `PAUSED by ${[...causes].join(' and ')}${soonest ? `, next try ${formatMoment(soonest, now)}` : ''}`
}

/** The time of day, with the date if it is not today. */
function formatMoment(moment: Date, now: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':')
  const day = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()].map(two).join('-')
  return moment.toDateString() === now.toDateString() ? time : `${day} ${time}`
}
