import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { History, KeptState, Moment } from '../../src/api/history.ts'
import { apiPath, get } from './client.ts'
import { keys } from './queries.ts'

/** All that has happened in a Run, oldest first, and the commits that hold its work as it was. */
export interface WholeHistory {
  readonly moments: readonly Moment[]
  readonly kept: readonly KeptState[]
}

/**
 * Read whole when somebody goes back in time, and later as far back as there is something new:
 * going through it asks for nothing.
 */
export function useHistory(run: string) {
  const client = useQueryClient()
  return useQuery({
    queryKey: keys.history(run),
    queryFn: ({ signal }) => readHistory(client, run, signal),
    staleTime: 0,
    refetchOnMount: 'always',
  })
}

async function readHistory(client: QueryClient, run: string, signal: AbortSignal): Promise<WholeHistory> {
  const known = client.getQueryData<WholeHistory>(keys.history(run))?.moments ?? []
  const last = known.at(-1)?.id ?? 0
  const path = apiPath('runs', run, 'history')
  const newest = await get<History>(path, signal)
  const pages = [newest]
  for (let next = newest.next; next !== null && next > last; ) {
    const page = await get<History>(`${path}?before=${next}`, signal)
    pages.push(page)
    next = page.next
  }
  const fresh = pages.flatMap(({ moments }) => moments).filter(({ id }) => id > last)
  return { moments: [...known, ...fresh.toReversed()], kept: newest.kept }
}
