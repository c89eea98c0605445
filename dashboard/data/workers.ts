import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { WorkerList } from '../../src/api/workers.ts'
import { apiPath, get } from './client.ts'
import { isAlone } from './may.ts'
import { useOperation } from './operation.ts'

const workersKey = ['workers']

/** Milliseconds between two looks at who is there: as often as workers give signs of life. */
const lookMs = 2_000

let shares = false

/** Whether machines can work for this hub. Known once `useSharesWork` has asked. */
export const sharesWork = () => shares

async function ask(signal: AbortSignal): Promise<WorkerList> {
  const list = await get<WorkerList>(apiPath('workers'), signal)
  shares = list.workers.length > 0
  return list
}

/** Asks once whether the hub shares its work; renders again when that is known. */
export function useSharesWork(): void {
  useQuery({ queryKey: workersKey, queryFn: ({ signal }) => ask(signal), enabled: !isAlone() })
}

/** No event tells that a worker lives: asked again and again as long as somebody looks. */
export const useWorkers = () =>
  useQuery({
    queryKey: workersKey,
    queryFn: ({ signal }) => ask(signal),
    ...{ staleTime: 0, refetchInterval: lookMs },
  })

export function useDrainWorker() {
  const client = useQueryClient()
  return useOperation('drainWorker', { onSettled: () => client.invalidateQueries({ queryKey: workersKey }) })
}
