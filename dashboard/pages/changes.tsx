import { useDiff, useRun } from '../data/queries.ts'
import { DiffPanel } from '../parts/diff/diff-panel.tsx'
import { RunHead } from '../parts/run-head.tsx'

/** All that a Run has merged so far. */
export function Changes({ run }: { readonly run: string }) {
  const { data } = useRun(run)
  const own = data && (data.tip ?? data.stories[0]?.snapshot ?? null)
  const others = data?.repositories.map(({ sha }) => sha) ?? []
  const version = others.length === 0 ? own : [own, ...others].join()
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
