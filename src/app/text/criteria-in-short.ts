import type { EventData } from '../../domain/event.ts'

/** Counts criteria by state, as `2 tested, 1 untested`; empty before their tests are written. */
export function criteriaInShort({ criteria }: Pick<EventData['acceptance'], 'criteria'>): string {
  const counts = (['tested', 'untested', 'dropped'] as const).map(
    (state) => [criteria.filter((each) => each.state === state).length, state] as const,
  )
  const confirmed = criteria.filter((each) => each.confirmed).length
  return [...counts, [confirmed, 'confirmed'] as const]
    .flatMap(([count, state]) => (count === 0 ? [] : [`${count} ${state}`]))
    .join(', ')
}
