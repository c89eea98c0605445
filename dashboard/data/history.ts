import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { History, KeptState, Moment } from '../../src/api/history.ts'
import { apiPath, get } from './client.ts'
import { keys } from './queries.ts'

/** All events of a Run, oldest first, and the commits that hold its earlier states. */
export interface WholeHistory {
  readonly moments: readonly Moment[]
  readonly kept: readonly KeptState[]
}

/**
 * The history of a Run. It is read completely when somebody first goes back in time; later only the
 * new part is read, so that moving through it needs no requests.
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
