import type { Event } from '../../domain/event.ts'
import type { JsonObject } from '../../domain/json.ts'

/** A row of the event log. */
export interface EventRow {
  readonly id: number
  readonly run: string
  readonly story: string | null
  readonly type: string
  readonly data: string
  readonly at: string
  /** Missing in a state of an older Drydock until somebody writes to it. */
  readonly actor?: string | null
}

/**
 * An event as this version tells it, whichever version has stored it: the one place that knows what
 * older ones left out.
 */
export function eventOf({ actor, ...row }: EventRow): Event {
  const data = JSON.parse(row.data) as JsonObject
  const isOldPause = row.type === 'paused' && data.reason === undefined
  const told = isOldPause ? { reason: 'budget', ...data } : data
  return { ...row, data: told, ...(actor != null && { actor }) } as unknown as Event
}
