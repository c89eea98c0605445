import { useMemo } from 'react'
import { useRun, useStory, versionOf } from '../data/queries.ts'
import { ReviewPanel } from '../parts/review/review-panel.tsx'
import { RunHead } from '../parts/run-head.tsx'

/** Everything that a Run has merged so far, or that its only story has changed. */
export function Changes({ run, focus }: { readonly run: string; readonly focus: string | null }) {
  const { data } = useRun(run)
  const isCrew = data?.kind === 'spec'
  const task = useStory(run, data === undefined || isCrew ? null : (data.stories[0]?.id ?? null))
  const versions = useMemo(
    () =>
      isCrew
        ? data.merges.flatMap(({ commit, story }) =>
            commit === null ? [] : [{ sha: commit, title: `after ${story}` }],
          )
        : [],
    [isCrew, data?.merges],
  )
  const findings = useMemo(() => task.data?.reviews.flatMap((review) => review.findings) ?? [], [task.data])
  return (
    <div className="page">
      <RunHead run={run} title="Changes" />
      <ReviewPanel
        key={run}
        run={run}
        story={null}
        version={data && versionOf(data)}
        versions={versions}
        findings={findings}
        focus={focus}
        empty="Changes appear here once they are merged onto the run branch. Until then, see the page of the story."
      />
    </div>
  )
}
