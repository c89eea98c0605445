import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { RemarkAnswer } from '../../src/api/remarks.ts'
import { apiPath, get } from './client.ts'
import { useOperation } from './operation.ts'
import { keys } from './queries.ts'

/** People's remarks about the change of a Run. */
export const useRemarks = (run: string) =>
  useQuery({
    queryKey: [...keys.remarks, run],
    queryFn: ({ signal }) =>
      get<{ readonly remarks: readonly RemarkAnswer[] }>(apiPath('runs', run, 'remarks'), signal),
  })

/**
 * The remarks about a story, and those that it works on as a follow-up Run; with null all of them.
 */
export function remarksAbout(
  remarks: readonly RemarkAnswer[] | undefined,
  { run, story }: { readonly run: string; readonly story: string | null },
): readonly RemarkAnswer[] {
  const isAbout = (remark: RemarkAnswer) => (remark.story ?? 'task') === story || remark.follow_up?.run === run
  return remarks?.filter((remark) => story === null || isAbout(remark)) ?? []
}

export function useSubmitReview() {
  const client = useQueryClient()
  // A remark that no Run has taken up yet causes no event.
  return useOperation('submitReview', { onSuccess: () => client.invalidateQueries({ queryKey: keys.remarks }) })
}
