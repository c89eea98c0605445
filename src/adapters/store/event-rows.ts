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
}

/**
 * An event as this version tells it, whichever version has stored it: the one place that knows what
 * older ones left out.
 */
export function eventOf(row: EventRow): Event {
  const data = JSON.parse(row.data) as JsonObject
  const isOldPause = row.type === 'paused' && data.reason === undefined
  return { ...row, data: isOldPause ? { reason: 'budget', ...data } : data } as unknown as Event
}
