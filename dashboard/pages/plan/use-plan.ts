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

/** What comes of it is the answer, which is then what is known of the plan. */
export function useEditPlan(run: string) {
  const client = useQueryClient()
  return useOperation('editPlan', { onSuccess: ({ plan }) => client.setQueryData(keys.plan(run), plan) })
}
