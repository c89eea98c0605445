import type { z } from 'zod'
import type { EventList, eventListQuerySchema } from '../../../api/events.ts'
import type { EventType } from '../../../domain/event.ts'
import { findRun, type ViewSources } from '../view-sources.ts'
import { momentText } from './moment-text.ts'

/** A page of the event log of a Run, newest first. */
export async function readEvents(
  sources: ViewSources,
  id: string,
  { before, story, types, text, limit }: z.output<typeof eventListQuerySchema>,
): Promise<EventList> {
  const { records } = sources
  const run = await findRun(sources, id)
  const events = await records.recentEvents({
    run: run.id,
    limit: limit + 1,
    ...(before !== undefined && { before }),
    ...(story !== undefined && { story }),
    ...(types !== undefined && { types: types.split(',') as EventType[] }),
    ...(text !== undefined && text !== '' && { text }),
  })
  const page = events.slice(0, limit)
  const told = page.map((event) => ({ ...event, what: momentText(event) }))
  return { events: told, next: events.length > limit ? (page.at(-1)?.id ?? null) : null }
}
