import type { Event } from '../event.ts'

/** The type of the events that say whom a question is for. */
export const assigning = 'escalation_assigned'

/**
 * The person whom each question is for, by the id of its message; null for everybody. Takes events
 * newest first.
 */
export function assignedIn(events: readonly Event[]): ReadonlyMap<string, string | null> {
  return new Map(events.toReversed().flatMap(({ type, data }) => (type === assigning ? [[data.id, data.to]] : [])))
}
