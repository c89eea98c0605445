import type { RunDetail } from '../../../src/api/runs.ts'
import { Empty } from '../../parts/notice.tsx'

/** What a Run without stories is doing, or where to find what came of it. */
export function NoStories({ detail }: { readonly detail: RunDetail }) {
  const { kind, outcome, ended_at } = detail
  if (ended_at !== null) {
    return (
      <Empty icon="board" title="No story was started">
        <p>{outcome.sentence}</p>
      </Empty>
    )
  }
  return (
    <Empty icon="board" title={kind === 'spec' ? 'No stories yet' : 'The work begins'}>
      <p>
        {kind === 'spec'
          ? 'The architect reads the repository and splits the spec. Its stories will appear here.'
          : 'The editor gets a workspace. Its work will appear here.'}
      </p>
    </Empty>
  )
}
