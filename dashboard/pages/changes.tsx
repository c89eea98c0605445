import { useDiff } from '../data/queries.ts'
import { DiffPanel } from '../parts/diff-panel.tsx'
import { RunHead } from '../parts/run-head.tsx'

/** All that a Run has merged so far. */
export function Changes({ run }: { readonly run: string }) {
  return (
    <div className="page">
      <RunHead run={run} title="Changes" />
      <DiffPanel
        query={useDiff(run, null)}
        empty="What is merged onto the run branch comes here. What a story has changed before that is on the story’s own page."
      />
    </div>
  )
}
