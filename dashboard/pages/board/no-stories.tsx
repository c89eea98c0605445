import type { RunDetail } from '../../../src/api/runs.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { Empty } from '../../parts/notice.tsx'
import { href } from '../../router.ts'
import { Card } from '../story/overview.tsx'

/** What a Run without stories is doing, or where to find what came of it. */
export function NoStories({ detail }: { readonly detail: RunDetail }) {
  const { run, kind, answer, outcome, ended_at } = detail
  if (kind === 'spec' && Array.isArray(answer)) return <PlannedStories stories={answer as readonly Planned[]} />
  if (kind === 'verify' || kind === 'scout') {
    const place = kind === 'verify' ? 'verifications' : 'report'
    return (
      <Empty icon={kind === 'verify' ? 'checks' : 'report'} title={outcome.sentence}>
        <a className="button" href={href('runs', run, place)}>
          {kind === 'verify' ? 'Open the verification' : 'Open the answer'}
        </a>
      </Empty>
    )
  }
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

/** A story of a plan that nobody builds, as the API answers it. Never trusted. */
interface Planned {
  readonly id: string
  readonly title: string
  readonly content: string
  readonly acceptance_criteria?: readonly string[]
  readonly depends_on?: readonly string[]
}

function PlannedStories({ stories }: { readonly stories: readonly Planned[] }) {
  return (
    <div className="stack">
      <p className="sub">The plan. Nothing is built from it by itself.</p>
      {stories.map(({ id, title, content, acceptance_criteria = [], depends_on = [] }) => (
        <Card key={id} title={title}>
          <p className="row sub">
            <code>{id}</code>
            {depends_on.length > 0 && <span>needs {depends_on.join(', ')}</span>}
          </p>
          <Markdown text={content} />
          {acceptance_criteria.length > 0 && (
            <Markdown text={acceptance_criteria.map((each) => `- ${each}`).join('\n')} />
          )}
        </Card>
      ))}
    </div>
  )
}
