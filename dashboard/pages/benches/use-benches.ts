import { useQuery } from '@tanstack/react-query'
import type { Bench, BenchAttemptDetail, BenchList } from '../../../src/api/benches.ts'
import { apiPath, get } from '../../data/client.ts'
import { isAlone } from '../../data/may.ts'

/**
 * Milliseconds between two fetches, while a bench runs and otherwise, since benches cause no events
 * here.
 */
const lookMs = { going: 2_000, else: 15_000 } as const

const every = (isGoing: boolean | undefined) => (isGoing ? lookMs.going : lookMs.else)

/** The benches that this installation knows. On a hub nothing is fetched. */
export const useBenches = () =>
  useQuery({
    queryKey: ['benches'],
    queryFn: ({ signal }) => get<BenchList>(apiPath('benches'), signal),
    refetchInterval: ({ state }) => every(state.data?.benches.some((bench) => bench.state === 'going')),
    staleTime: 0,
    enabled: isAlone(),
  })

export const useBench = (id: string) =>
  useQuery({
    queryKey: ['bench', id],
    queryFn: ({ signal }) => get<Bench>(apiPath('benches', id), signal),
    refetchInterval: ({ state }) => every(state.data?.state === 'going'),
    staleTime: 0,
  })

export const useBenchAttempt = (id: string, name: string) =>
  useQuery({
    queryKey: ['bench', id, name],
    queryFn: ({ signal }) => get<BenchAttemptDetail>(apiPath('benches', id, 'attempts', name), signal),
    refetchInterval: ({ state }) => every(state.data?.state === 'working'),
    staleTime: 0,
  })
