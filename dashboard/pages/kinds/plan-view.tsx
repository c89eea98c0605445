import { useEffect } from 'react'
import type { RunDetail } from '../../../src/api/runs.ts'
import { may } from '../../data/may.ts'
import { depths } from '../../layered.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { Empty } from '../../parts/notice.tsx'
import { href, useAsked } from '../../router.ts'
import { Graph } from '../board/graph.tsx'
import { Fact, Facts, Taken } from './facts.tsx'
import '../../styles/kinds.css'

/** A story of a plan, as the API returns it. Its content is not trusted. */
interface PlanStory {
  readonly id: string
  readonly title: string
  readonly content: string
  readonly acceptance_criteria?: readonly string[]
  readonly depends_on?: readonly string[]
  readonly files_hint?: readonly string[]
  readonly edited_by?: string
}

/** A plan: its stories in order, and the way to build it. */
export function PlanView({ detail }: { readonly detail: RunDetail }) {
  const { answer, ended_at, outcome, request } = detail
  if (!Array.isArray(answer) || answer.length === 0) {
    return (
      <>
        <Facts>
          <Taken detail={detail} />
        </Facts>
        <Empty icon="board" title={ended_at === null ? 'The architect plans' : 'There is no plan'}>
          <p>
            {ended_at === null
              ? 'It reads the repository and splits the spec. The stories will appear here.'
              : outcome.sentence}
          </p>
        </Empty>
        <SpecText text={request.text} />
      </>
    )
  }
  return <Stories detail={detail} stories={answer as readonly PlanStory[]} />
}

function Stories({ detail, stories }: { readonly detail: RunDetail; readonly stories: readonly PlanStory[] }) {
  const { run, request } = detail
  const ids = stories.map(({ id }) => id)
  const edges = stories.flatMap(({ id, depends_on = [] }) => depends_on.map((other) => [other, id] as const))
  const layers = depths(ids, edges)
  const rounds = Map.groupBy(ids, (id) => layers.get(id) ?? 0)
  useAskedStory()
  return (
    <>
      <Facts>
        <Fact name="Stories">{stories.length}</Fact>
        <Fact name="One after the other">
          {rounds.size} <small>at least</small>
        </Fact>
        <Fact name="Side by side">
          {Math.max(...[...rounds.values()].map((some) => some.length))} <small>at most</small>
        </Fact>
        <Taken detail={detail} />
      </Facts>
      <p className="row kind-next">
        <span>Nothing is built from a plan by itself.</span>
        {may('operator') && (
          <a className="button primary" href={href('runs', run, 'plan')}>
            Edit or build it
          </a>
        )}
      </p>
      {edges.length > 0 && (
        <section className="stack tight" aria-labelledby="plan-order">
          <h2 id="plan-order">Order</h2>
          <Graph
            stories={stories.map(({ id, title, depends_on = [] }) => ({
              id,
              title,
              state: 'QUEUED' as const,
              depends_on: [...depends_on],
            }))}
            linkOf={(id) => `${href('runs', run)}?story=${encodeURIComponent(id)}`}
          />
        </section>
      )}
      <ol className="plan-stories">
        {stories.map((story) => (
          <li key={story.id} id={`plan-${story.id}`} tabIndex={-1} data-item>
            <PlannedStory story={story} />
          </li>
        ))}
      </ol>
      <SpecText text={request.text} />
    </>
  )
}

function PlannedStory({ story }: { readonly story: PlanStory }) {
  const { id, title, content, acceptance_criteria = [], depends_on = [], files_hint = [], edited_by } = story
  return (
    <section className="card" aria-label={title}>
      <div className="card-head">
        <h2>{title}</h2>
        <code>{id}</code>
        {depends_on.length > 0 && <span className="sub">needs {depends_on.join(', ')}</span>}
        {edited_by !== undefined && <span className="sub">edited by {edited_by}</span>}
      </div>
      <div className="card-body">
        <Markdown text={content} />
        {acceptance_criteria.length > 0 && (
          <>
            <h3>Done when</h3>
            <Markdown text={acceptance_criteria.map((each) => `- ${each}`).join('\n')} />
          </>
        )}
        {files_hint.length > 0 && (
          <p className="sub">
            Probably changes{' '}
            {files_hint.map((file) => (
              <code key={file}>{file} </code>
            ))}
          </p>
        )}
      </div>
    </section>
  )
}

function SpecText({ text }: { readonly text: string }) {
  return (
    <details className="card card-body">
      <summary>The spec</summary>
      <Markdown text={text} />
    </details>
  )
}

/** A node of the graph links to its story below. */
function useAskedStory(): void {
  const story = useAsked('story')
  useEffect(() => {
    if (story === null) return
    const found = document.getElementById(`plan-${story}`)
    found?.scrollIntoView({ block: 'start' })
    found?.focus({ preventScroll: true })
  }, [story])
}
