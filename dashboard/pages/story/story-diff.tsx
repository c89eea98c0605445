import { useDiff } from '../../data/queries.ts'
import { DiffPanel } from '../../parts/diff-panel.tsx'

export function StoryDiff({ run, story }: { readonly run: string; readonly story: string }) {
  return (
    <DiffPanel query={useDiff(run, story)} empty="The diff appears with the first snapshot of the editor’s work." />
  )
}
