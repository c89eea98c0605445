import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { RemarkAnswer } from '../../src/api/remarks.ts'
import { apiPath, get } from './client.ts'
import { useOperation } from './operation.ts'
import { keys } from './queries.ts'

/** What people have said about the change of a Run. */
export const useRemarks = (run: string) =>
  useQuery({
    queryKey: [...keys.remarks, run],
    queryFn: ({ signal }) =>
      get<{ readonly remarks: readonly RemarkAnswer[] }>(apiPath('runs', run, 'remarks'), signal),
  })

/** What is about a story, or is worked on by it as a Run that follows; with null all of it. */
export function remarksAbout(
  remarks: readonly RemarkAnswer[] | undefined,
  { run, story }: { readonly run: string; readonly story: string | null },
): readonly RemarkAnswer[] {
  const isAbout = (remark: RemarkAnswer) => (remark.story ?? 'task') === story || remark.follow_up?.run === run
  return remarks?.filter((remark) => story === null || isAbout(remark)) ?? []
}

export function useSubmitReview() {
  const client = useQueryClient()
  // No event tells of a remark that nobody has taken in.
  return useOperation('submitReview', { onSuccess: () => client.invalidateQueries({ queryKey: keys.remarks }) })
}
