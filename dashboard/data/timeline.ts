import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { EventList } from '../../src/api/events.ts'
import type { Timeline, TimelineEntry } from '../../src/api/timeline.ts'
import { apiPath, get } from './client.ts'
import { keys } from './queries.ts'

/** A list that grows at the top while it is read, and loads older items page by page. */
interface Growing<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

interface Source<Item> {
  readonly queryKey: readonly string[]
  readonly page: (before: string | null, signal?: AbortSignal) => Promise<Growing<Item>>
  readonly id: (item: Item) => string
}

/**
 * The most pages that are fetched to close the gap to the known items; after a larger gap the list
 * starts again.
 */
const mostPages = 5

function useGrowing<Item>({ queryKey, page, id }: Source<Item>) {
  const client = useQueryClient()
  const [loading, setLoading] = useState(false)
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = client.getQueryData<Growing<Item>>(queryKey)
      return newer(known, { page: (before) => page(before, signal), id })
    },
    // When the filter changes, the last list stays on screen until the next arrives.
    placeholderData: keepPreviousData,
  })
  const next = query.data?.next ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names all that the page depends on
  const more = useCallback(async () => {
    if (next === null || loading) return
    setLoading(true)
    try {
      const older = await page(next)
      client.setQueryData<Growing<Item>>(queryKey, (now) =>
        now?.next === next ? { items: [...now.items, ...older.items], next: older.next } : now,
      )
    } finally {
      setLoading(false)
    }
  }, [client, next, loading, JSON.stringify(queryKey)])
  return { query, more: next === null ? null : more }
}

/**
 * The newest page, and older ones until a known item appears. Entries that were still running may
 * have changed, so new ones replace known ones.
 */
async function newer<Item>(
  known: Growing<Item> | undefined,
  { page, id }: Pick<Source<Item>, 'page' | 'id'>,
): Promise<Growing<Item>> {
  const first = await page(null)
  if (!known) return first
  const ids = new Set(known.items.map(id))
  let fresh = first
  for (let pages = 1; fresh.next !== null && !fresh.items.some((item) => ids.has(id(item))); pages += 1) {
    if (pages === mostPages) return fresh
    const older = await page(fresh.next)
    fresh = { items: [...fresh.items, ...older.items], next: older.next }
  }
  const seen = new Set(fresh.items.map(id))
  return { items: [...fresh.items, ...known.items.filter((item) => !seen.has(id(item)))], next: known.next }
}

/** A filter that the server applies; empty values filter nothing. */
interface CallFilter {
  readonly kind: string
  readonly text: string
}

function asked(filter: Readonly<Record<string, string | number | null>>): string {
  const known = Object.entries(filter).filter(([, value]) => value !== null && value !== '')
  return new URLSearchParams(known.map(([name, value]) => [name, String(value)])).toString()
}

/** Model and tool calls, newest first: those of a story, or with null of the whole Run. */
export function useTimeline(run: string, story: string | null, { kind, text }: CallFilter) {
  const path = story === null ? apiPath('runs', run, 'timeline') : apiPath('runs', run, 'stories', story, 'timeline')
  return useGrowing<TimelineEntry>({
    queryKey: [...keys.timeline(run, story), kind, text],
    id: ({ cursor }) => cursor,
    page: async (before, signal) => {
      const { entries, next } = await get<Timeline>(`${path}?${asked({ limit: 100, before, kind, text })}`, signal)
      return { items: entries, next }
    },
  })
}

/** The event log of a Run, newest first. */
export function useEvents(run: string, { types, text }: { readonly types: readonly string[]; readonly text: string }) {
  return useGrowing<EventList['events'][number]>({
    queryKey: [...keys.events(run), types.join(','), text],
    id: (event) => String(event.id),
    page: async (before, signal) => {
      const query = asked({ limit: 200, before, types: types.join(','), text })
      const { events, next } = await get<EventList>(`${apiPath('runs', run, 'events')}?${query}`, signal)
      return { items: events, next: next === null ? null : String(next) }
    },
  })
}
