import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { WorkerList } from '../../src/api/workers.ts'
import { apiPath, get } from './client.ts'
import { isAlone } from './may.ts'
import { useOperation } from './operation.ts'

const workersKey = ['workers']

/** Milliseconds between two fetches, equal to the interval of the workers' heartbeats. */
const lookMs = 2_000

let shares = false

/** True if machines can work for this hub. Known once `useSharesWork` has fetched it. */
export const sharesWork = () => shares

async function ask(signal: AbortSignal): Promise<WorkerList> {
  const list = await get<WorkerList>(apiPath('workers'), signal)
  shares = list.workers.length > 0
  return list
}

/** Fetches once if the hub shares its work, and renders again when that is known. */
export function useSharesWork(): void {
  useQuery({ queryKey: workersKey, queryFn: ({ signal }) => ask(signal), enabled: !isAlone() })
}

/** A worker's heartbeat causes no event, so the list is fetched repeatedly while it is visible. */
export const useWorkers = () =>
  useQuery({
    queryKey: workersKey,
    queryFn: ({ signal }) => ask(signal),
    staleTime: 0,
    refetchInterval: lookMs,
  })

export function useDrainWorker() {
  const client = useQueryClient()
  return useOperation('drainWorker', { onSettled: () => client.invalidateQueries({ queryKey: workersKey }) })
}
