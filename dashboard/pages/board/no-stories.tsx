import type { RunDetail } from '../../../src/api/runs.ts'
import { Empty } from '../../parts/notice.tsx'

/** The activity of a Run without stories, or a link to its result. */
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
