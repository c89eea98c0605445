import { useDiff } from '../../data/queries.ts'
import { DiffPanel } from '../../parts/diff-panel.tsx'

export function StoryDiff({ run, story }: { readonly run: string; readonly story: string }) {
  return (
    <DiffPanel
      query={useDiff(run, story)}
      empty="The editor has not changed anything that has been kept. The diff appears with the first snapshot."
    />
  )
}
