import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Handed } from '../../../src/api/commands.ts'
import type { BuildPlan, EditedPlan, EditPlan, Plan } from '../../../src/api/plan.ts'
import { act } from '../../data/act.ts'
import { apiPath, get } from '../../data/client.ts'
import { keys } from '../../data/queries.ts'

export const usePlan = (run: string) =>
  useQuery({
    queryKey: keys.plan(run),
    queryFn: ({ signal }) => get<Plan>(apiPath('runs', run, 'plan'), signal),
  })

/** What comes of it is the answer, which is then what is known of the plan. */
export function useEditPlan(run: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: EditPlan) => act<EditedPlan>(apiPath('runs', run, 'plan'), input),
    onSuccess: ({ plan }) => client.setQueryData(keys.plan(run), plan),
  })
}

export const useBuildPlan = (run: string) =>
  useMutation({ mutationFn: (input: BuildPlan) => act<Handed>(apiPath('runs', run, 'build'), input) })
