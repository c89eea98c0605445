import type { StoryDetail } from '../../../src/api/stories.ts'
import { useDiff } from '../../data/queries.ts'
import { DiffPanel } from '../../parts/diff/diff-panel.tsx'

export function StoryDiff({ run, detail }: { readonly run: string; readonly detail: StoryDetail }) {
  return (
    <DiffPanel
      query={useDiff(run, detail.id, detail.sha)}
      empty="The diff appears as soon as the editor has written."
    />
  )
}
