import { type ReactNode, useState } from 'react'
import type { Escalation } from '../../../src/api/chat.ts'
import type { RunDetail } from '../../../src/api/runs.ts'
import { useRun } from '../../data/queries.ts'
import { plural } from '../../figures-text.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { useFilter, useTextFilter } from '../../filters/use-filter.ts'
import { lazyPart } from '../../parts/lazy-part.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Loading } from '../../parts/notice.tsx'
import { RunNow } from '../../parts/now/run-now.tsx'
import { People } from '../../parts/people.tsx'
import { Pill } from '../../parts/pill.tsx'
import { BriefQuestion, Question } from '../../parts/question.tsx'
import { outcomeSentence } from '../../parts/waits-for-answer.ts'
import { href, hrefWith, useAsked } from '../../router.ts'
import { badgeOf, ended } from '../../state-family.ts'
import { isOwnKind, OfKind } from '../kinds/of-kind.tsx'
import { Actions } from './actions.tsx'
import { ClaimNotice } from './claim-notice.tsx'
import { AgentColumns, Columns } from './columns.tsx'
import { Graph } from './graph.tsx'
import { NoStories } from './no-stories.tsx'
import { RunFigures } from './run-figures.tsx'
import { Standstill } from './standstill.tsx'
import { VagueSpec, WrittenSpec } from './written-spec.tsx'

/** Loaded lazily, since only a Run that has ended needs it. */
const FinishPanel = lazyPart(() => import('../finish/finish-panel.tsx').then(({ FinishPanel }) => FinishPanel))

/** Loaded lazily, since it is only needed for going back in time. */
const PastBoard = lazyPart(
  () => import('../past/past-board.tsx').then(({ PastBoard }) => PastBoard),
  () => <Loading what="the past" />,
)

/** Stories by state, the Run's usage, and its questions. */
export function Board({ run, questions }: { readonly run: string; readonly questions: readonly Escalation[] }) {
  const query = useRun(run)
  const isPast = useAsked('at') !== null
  return (
    <div className="page board-page">
      <Loaded query={query} what="the run">
        {(detail) =>
          isPast && detail.stories.length > 0 ? (
            <PastBoard key={run} detail={detail} />
          ) : (
            <Detail key={run} detail={detail} questions={questions} />
          )
        }
      </Loaded>
    </div>
  )
}

/** The number of further questions shown on one line each, so that the board stays visible. */
const inShort = 3

function Asked({ run, questions }: { readonly run: string; readonly questions: readonly Escalation[] }) {
  const [first, ...others] = questions
  if (!first) return null
  // All questions of an interview round are answered together.
  if (first.options.length > 0) return questions.map((asked) => <Question key={asked.id} asked={asked} />)
  const more = others.length - inShort
  return (
    <>
      <Question key={first.id} asked={first} />
      {others.length > 0 && (
        <div className="stack tight">
          {others.slice(0, inShort).map((asked) => (
            <BriefQuestion
              key={asked.id}
              asked={asked}
              to={asked.story === null ? href('runs', run, 'chat') : href('runs', run, 'stories', asked.story)}
            />
          ))}
          {more > 0 && <a href={href('runs', run, 'chat')}>{plural(more, 'more question')}</a>}
        </div>
      )}
    </>
  )
}

/** True for a Run that has ended and may have built something. */
function mayHaveBuilt({ kind, ended_at, state, diff }: RunDetail): boolean {
  const isOver = ended_at !== null && state !== 'ERROR' && state !== 'PAUSED'
  return (kind === 'spec' || kind === 'task') && isOver && diff === null
}

function Detail({ detail, questions }: { readonly detail: RunDetail; readonly questions: readonly Escalation[] }) {
  const { title, state } = detail
  const isBuilt = mayHaveBuilt(detail)
  // A result that arrives while the page is open replaces the panel above, so that nothing moves
  // down.
  const [isFirst] = useState(isBuilt)
  const finish = isBuilt && <FinishPanel detail={detail} />
  return (
    <>
      <header className="page-head">
        <div className="stack tight">
          <h1>{title}</h1>
          <p className="row sub">
            <Pill state={badgeOf(detail)} label={detail.outcome.label} title={detail.outcome.sentence} />
            <span>{outcomeSentence(detail.outcome)}</span>
            <People of={detail} />
            {detail.architect && detail.architect.state !== state && (
              <span>Architect: {detail.architect.state.toLowerCase().replaceAll('_', ' ')}</span>
            )}
            {detail.outcome.code === 'INTERRUPTED' && <code>drydock resume</code>}
          </p>
        </div>
        <div className="row">
          {detail.stories.length > 0 && (
            <a className="button" href={hrefWith({ at: String(detail.last_event) }, 'runs', detail.run)}>
              Go back in time
            </a>
          )}
          <Actions detail={detail} />
        </div>
      </header>
      <Asked run={detail.run} questions={questions} />
      <Standstill detail={detail} />
      <ClaimNotice detail={detail} />
      {isFirst && finish}
      {isOwnKind(detail) && !detail.vague ? (
        <OfKind detail={detail} />
      ) : (
        <Stories detail={detail} result={isFirst ? null : finish || null} />
      )}
    </>
  )
}

/** Stories that wait for a larger budget; others were paused by a person. */
function pausedFor({ pause: { budget } }: RunDetail): readonly string[] {
  return budget?.stories ?? []
}

const viewNames = { board: 'By state', agents: 'By agent', graph: 'Dependencies' } as const

/** The stories of a board. */
function Stories({ detail, result }: { readonly detail: RunDetail; readonly result: ReactNode }) {
  const [other, choose] = useFilter('view', ['agents', 'graph'])
  const view = other ?? 'board'
  const { matches } = useTextFilter()
  const { stories } = detail
  const shown = stories.filter(({ id, title, state }) => matches(id, title, state))
  return (
    <>
      <RunNow detail={detail} result={result} />
      <RunFigures detail={detail} />
      {stories.length > 1 && (
        <div className="row board-bar">
          <fieldset className="segmented">
            <legend className="visually-hidden">View</legend>
            {(['board', 'agents', 'graph'] as const).map((each) => (
              <label key={each}>
                <input
                  type="radio"
                  name="view"
                  checked={view === each}
                  onChange={() => choose(each === 'board' ? null : each)}
                />
                {viewNames[each]}
              </label>
            ))}
          </fieldset>
          <FilterBar
            what="stories"
            download={{ list: 'stories', run: detail.run }}
            shown={{ some: shown.length, all: stories.length }}
          />
        </div>
      )}
      {detail.spec && <WrittenSpec spec={detail.spec} />}
      {detail.vague && <VagueSpec vague={detail.vague} text={detail.request.text} />}
      {detail.spec || detail.vague ? null : detail.kind === 'interview' ? (
        <Empty icon="board" title="No spec yet">
          <p>The architect reads the repository and asks you what it cannot decide. Then the spec appears here.</p>
        </Empty>
      ) : stories.length === 0 ? (
        <NoStories detail={detail} />
      ) : shown.length === 0 ? (
        <Empty icon="search" title="No story is like that" />
      ) : view === 'board' ? (
        <Columns
          run={detail.run}
          stories={shown}
          paused={pausedFor(detail)}
          isInProgress={!ended.includes(detail.state)}
        />
      ) : view === 'agents' ? (
        <AgentColumns run={detail.run} stories={shown} />
      ) : (
        <Graph stories={shown} linkOf={(id) => href('runs', detail.run, 'stories', id)} />
      )}
    </>
  )
}
