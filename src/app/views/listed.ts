import type { z } from 'zod'
import type { downloadQuerySchema } from '../../api/downloads.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { BenchViews } from './bench/benches.ts'
import { readChat } from './chat.ts'
import { readEvents } from './history/event-list.ts'
import type { ReceiptViews } from './receipts/receipts.ts'
import { readRun, readRunLines } from './runs.ts'
import { readTimeline } from './timeline.ts'
import { readVerifications } from './verifications.ts'
import type { ViewSources } from './view-sources.ts'

type ListQuery = z.output<typeof downloadQuerySchema>

interface ListSources extends ViewSources {
  readonly receipts: Pick<ReceiptViews, 'list'>
  readonly benches: () => Pick<BenchViews, 'list' | 'one'>
}

/**
 * Yields a whole list item by item, in the form of its own view. Throws DrydockError `not_found`,
 * `bad_usage`.
 */
export async function* readListed(
  { receipts, benches, ...sources }: ListSources,
  { list, run, story, bench }: ListQuery,
): AsyncGenerator<object> {
  if (list === 'runs') return yield* readRunLines(sources)
  if (list === 'receipts') return yield* inPages((after: string | undefined) => receiptsAfter(receipts, after))
  if (list === 'benches') return yield* (await benches().list()).benches
  if (list === 'attempts') {
    if (bench === undefined) throw unsaid('bench', list)
    return yield* (await benches().one(bench)).attempts
  }
  if (run === undefined) throw unsaid('run', list)
  const ofStory = story === undefined ? {} : { story }
  switch (list) {
    case 'stories':
      return yield* (await readRun(sources, run)).stories
    case 'verifications':
      return yield* (await readVerifications(sources, run)).verifications
    case 'messages':
      return yield* (await readChat(sources, run)).messages
    case 'events':
      return yield* inPages(async (before: number | undefined) => {
        const { events, next } = await readEvents(sources, run, {
          limit: 500,
          ...ofStory,
          ...(before !== undefined && { before }),
        })
        return { items: events, next }
      })
    case 'timeline':
      return yield* inPages(async (before: string | undefined) => {
        const { entries, next } = await readTimeline(sources, {
          run,
          limit: 200,
          ...ofStory,
          ...(before !== undefined && { before }),
        })
        return { items: entries, next }
      })
    default:
      throw new Error(`unknown list ${list satisfies never}`)
  }
}

function unsaid(what: 'run' | 'bench', list: string): DrydockError {
  const todo = `Add: &${what}=<id>`
  return new DrydockError('bad_usage', `It is not said of which ${what} the ${list} are.`, { todo })
}

async function receiptsAfter(views: ListSources['receipts'], after: string | undefined) {
  const { receipts, next } = await views.list(after === undefined ? {} : { after })
  return { items: receipts, next }
}

interface PageOf<Place> {
  readonly items: readonly object[]
  readonly next: Place | null
}

async function* inPages<Place>(read: (before: Place | undefined) => Promise<PageOf<Place>>): AsyncGenerator<object> {
  for (let page = await read(undefined); ; page = await read(page.next)) {
    yield* page.items
    if (page.next === null) return
  }
}
