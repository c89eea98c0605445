import type { RunLine } from '../../../api/runs.ts'
import type { Event } from '../../../domain/event.ts'

/** Types of events that show a person's part in a Run. */
export const partTypes = ['escalation_answered', 'escalation_assigned', 'accepted', 'landing'] as const

/** The people of a Run on a hub and their parts, each once; left out where nobody is known. */
export function peopleIn(startedBy: string | undefined, events: readonly Event[]): Pick<RunLine, 'people'> {
  const by = (wanted: (event: Event) => boolean) => [
    ...new Set(events.toReversed().flatMap((event) => (event.actor !== undefined && wanted(event) ? event.actor : []))),
  ]
  const people = {
    started: startedBy === undefined ? [] : [startedBy],
    answered: by(({ type }) => type === 'escalation_answered'),
    accepted: by(({ type }) => type === 'accepted'),
    merged: by(({ type }) => type === 'landing'),
  }
  return Object.values(people).some((names) => names.length > 0) ? { people } : {}
}
