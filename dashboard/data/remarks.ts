import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { RemarkAnswer, SubmitReview, submittedReviewSchema } from '../../src/api/remarks.ts'
import { act } from './act.ts'
import { apiPath, get } from './client.ts'
import { keys } from './queries.ts'

type Submitted = z.infer<typeof submittedReviewSchema>

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

export function useSubmitReview(run: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (review: SubmitReview) => act<Submitted>(apiPath('runs', run, 'remarks'), review),
    // No event tells of a remark that nobody has taken in.
    onSuccess: () => client.invalidateQueries({ queryKey: keys.remarks }),
  })
}
