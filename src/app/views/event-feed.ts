import type { Event } from '../../domain/event.ts'
import type { ViewSources } from './view-sources.ts'

/** The event log of all Runs, for followers. Each call reads the log again. */
export interface EventFeed {
  /** The id of the newest event; 0 for an empty log. */
  newest(): Promise<number>
  /** The next events after an id, at most one page. */
  after(id: number): Promise<readonly Event[]>
}

const eventsAtOnce = 500

export function createEventFeed({ records }: Pick<ViewSources, 'records'>): EventFeed {
  return {
    newest: () => records.lastEvent(),
    after: (after) => records.events({ after, limit: eventsAtOnce }),
  }
}
