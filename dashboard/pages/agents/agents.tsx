import type { RunDetail, StoryLine, Transition } from '../../../src/api/runs.ts'
import { useMachines, useRun, useStory } from '../../data/queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { RunNow } from '../../parts/now/run-now.tsx'
import { Pill } from '../../parts/pill.tsx'
import { RunHead } from '../../parts/run-head.tsx'
import { Cost } from '../../parts/spending.tsx'
import { Age, Time } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { badgeOf, ended, stateLabel } from '../../state-family.ts'
import { AgentStrip, byActivity } from './agent-strip.tsx'
import { MachineDiagram } from './machine-diagram.tsx'

/** The agents at work, and the position of each in its state machine. */
export function Agents({ run, chosen }: { readonly run: string; readonly chosen: string | null }) {
  return (
    <div className="page">
      <RunHead run={run} title="Agents" />
      <Loaded query={useRun(run)} what="the agents">
        {(detail) => <Crew detail={detail} chosen={chosen} />}
      </Loaded>
    </div>
  )
}

function Crew({ detail, chosen }: { readonly detail: RunDetail; readonly chosen: string | null }) {
  const { architect, stories } = detail
  const [first] = stories.toSorted(byActivity)
  const shown = chosen ?? (architect ? 'architect' : (first?.id ?? 'architect'))
  const story = stories.find(({ id }) => id === shown) ?? null
  return (
    <div className="stack">
      <RunNow detail={detail} isTall />
      <AgentStrip detail={detail} current={story?.id ?? null} />
      <Machine detail={detail} story={story} />
    </div>
  )
}

/** All transitions of a story, however many others exist; for the Run, the listed ones. */
function useMoves(detail: RunDetail, story: string | null): readonly Transition[] {
  const { data } = useStory(detail.run, story)
  if (story === null) return detail.transitions.filter((each) => each.story === null)
  return data?.transitions ?? detail.transitions.filter((each) => each.story === story)
}

/** The time in the current state, or the total time once it has ended. */
function Lasted({ story: { state, since, created_at } }: { readonly story: StoryLine }) {
  const hasEnded = ended.includes(state)
  const from = hasEnded ? created_at : since
  if (from === null) return null
  return (
    <span className="sub">
      {hasEnded ? 'took ' : 'for '}
      <Age since={from} until={hasEnded ? since : null} />
    </span>
  )
}

interface MachineProps {
  readonly detail: RunDetail
  readonly story: RunDetail['stories'][number] | null
}

function Machine({ detail, story }: MachineProps) {
  const machines = useMachines()
  const moves = useMoves(detail, story?.id ?? null)
  const state = story?.state ?? detail.state
  return (
    <section className="stack" aria-label={story?.title ?? 'The run'}>
      <p className="row">
        <strong>{story ? story.title : detail.architect ? 'The run, as the architect sees it' : 'The run'}</strong>
        <Pill
          state={story ? (story.outcome ?? state) : badgeOf(detail)}
          label={story ? story.outcome_label : detail.outcome.label}
        />
        {story && <Lasted story={story} />}
        {story && (
          <>
            <span className="sub">
              <Cost of={story.spending} />
            </span>
            <a className="spread" href={href('runs', detail.run, 'stories', story.id)}>
              Open the story
            </a>
          </>
        )}
      </p>
      <Loaded query={machines} what="the state machine">
        {({ machines: tables }) => {
          const table = tables.find(({ name }) => name === (story ? 'story' : 'run'))
          return table ? <MachineDiagram table={table} state={state} moves={moves} /> : null
        }}
      </Loaded>
      <h2>Last moves</h2>
      {moves.length === 0 ? (
        <p className="sub">It has not moved yet.</p>
      ) : (
        <ol className="moves">
          {moves.slice(0, 12).map(({ id, from, event, to, at }) => (
            <li key={id}>
              <span>{stateLabel(from)}</span>
              <span className="sub">{event.replaceAll('_', ' ')} →</span>
              <Pill state={to} />
              <span className="spread sub">
                <Time at={at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
