import type { z } from 'zod'
import type { EventList, eventListQuerySchema } from '../../api/events.ts'
import { findRun, type Reading } from './reading.ts'

/** A page of the event log of a Run, newest first. */
export async function readEvents(
  reading: Reading,
  id: string,
  { before, story, limit }: z.output<typeof eventListQuerySchema>,
): Promise<EventList> {
  const { records, run } = await findRun(reading, id)
  const events = await records.recentEvents({
    ...{ run: run.id, limit: limit + 1 },
    ...(before !== undefined && { before }),
    ...(story !== undefined && { story }),
  })
  const page = events.slice(0, limit)
  return { events: [...page], next: events.length > limit ? (page.at(-1)?.id ?? null) : null }
}
