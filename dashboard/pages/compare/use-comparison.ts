import { useQuery } from '@tanstack/react-query'
import type { Comparison } from '../../../src/api/comparison.ts'
import { apiPath, get } from '../../data/client.ts'
import { keys } from '../../data/queries.ts'

/** Two Runs side by side, fetched at each visit, once both are chosen. */
export const useComparison = (a: string, b: string) =>
  useQuery({
    queryKey: keys.comparison(a, b),
    queryFn: ({ signal }) => get<Comparison>(`${apiPath('comparison')}?${new URLSearchParams({ a, b })}`, signal),
    staleTime: 0,
    refetchOnMount: 'always',
    enabled: a !== '' && b !== '' && a !== b,
  })
