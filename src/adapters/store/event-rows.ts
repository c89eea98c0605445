import type { Event } from '../../domain/event.ts'
import type { JsonObject } from '../../domain/json.ts'

export interface EventRow {
  readonly id: number
  readonly run: string
  readonly story: string | null
  readonly type: string
  readonly data: string
  readonly at: string
  /** Missing in a state of an older Drydock until it is migrated. */
  readonly actor?: string | null
}

/**
 * Converts a stored event to the current version's form. All knowledge about fields that older
 * versions left out is here.
 */
export function eventOf({ actor, ...row }: EventRow): Event {
  const data = JSON.parse(row.data) as JsonObject
  const isOldPause = row.type === 'paused' && data.reason === undefined
  const told = isOldPause ? { reason: 'budget', ...data } : data
  return { ...row, data: told, ...(actor != null && { actor }) } as unknown as Event
}
