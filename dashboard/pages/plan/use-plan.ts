import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Plan } from '../../../src/api/plan.ts'
import { apiPath, get } from '../../data/client.ts'
import { useOperation } from '../../data/operation.ts'
import { keys } from '../../data/queries.ts'

export const usePlan = (run: string) =>
  useQuery({
    queryKey: keys.plan(run),
    queryFn: ({ signal }) => get<Plan>(apiPath('runs', run, 'plan'), signal),
  })

/** The answer contains the new plan, which replaces the cached one. */
export function useEditPlan(run: string) {
  const client = useQueryClient()
  return useOperation('editPlan', { onSuccess: ({ plan }) => client.setQueryData(keys.plan(run), plan) })
}
