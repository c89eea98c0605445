import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Search } from '../../src/api/search.ts'
import { apiPath, get } from '../data/client.ts'

/** Milliseconds after the last key press until the server is asked. */
const restMs = 120

/** Milliseconds until the next request, if the server has not searched everything yet. */
const furtherMs = 30

/**
 * Results of the server's search. An outdated request is cancelled; the last results stay until the
 * next ones arrive.
 */
export function useSearch(typed: string, run: string | undefined) {
  const text = useResting(typed.trim())
  const query = useQuery({
    queryKey: ['search', text, run ?? ''],
    queryFn: ({ signal }) =>
      get<Search>(`${apiPath('search')}?${new URLSearchParams({ text, ...(run !== undefined && { run }) })}`, signal),
    enabled: text !== '',
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.unread ?? 0) > 0 ? furtherMs : false),
  })
  const isAsking = text !== typed.trim() || query.isFetching
  return { search: typed.trim() === '' ? undefined : query.data, error: query.error, isAsking }
}

function useResting(value: string): string {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
