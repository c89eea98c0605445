import { useDiff, useRun } from '../data/queries.ts'
import { DiffPanel } from '../parts/diff/diff-panel.tsx'
import { RunHead } from '../parts/run-head.tsx'

/** All that a Run has merged so far. */
export function Changes({ run }: { readonly run: string }) {
  const { data } = useRun(run)
  const version = data && (data.tip ?? data.stories[0]?.snapshot ?? null)
  return (
    <div className="page">
      <RunHead run={run} title="Changes" />
      <DiffPanel
        query={useDiff(run, null, version)}
        empty="Changes appear here once they are merged onto the run branch. Until then, see the page of the story."
      />
    </div>
  )
}
