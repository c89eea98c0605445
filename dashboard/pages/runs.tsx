import { memo, useState } from 'react'
import type { RunLine, RunList } from '../../src/api/runs.ts'
import { may } from '../data/may.ts'
import { count, plural } from '../figures-text.ts'
import { FilterBar, FilterChoice } from '../filters/filter-bar.tsx'
import { useFilter, useTextFilter } from '../filters/use-filter.ts'
import { CompareOffer } from '../parts/compare-offer.tsx'
import { Empty } from '../parts/notice.tsx'
import { People } from '../parts/people.tsx'
import { Pill } from '../parts/pill.tsx'
import { Question } from '../parts/question.tsx'
import { Cost } from '../parts/spending.tsx'
import { StartLink } from '../parts/start-link.tsx'
import { Age, Time } from '../parts/time.tsx'
import { outcomeSentence } from '../parts/waits-for-answer.ts'
import { href } from '../router.ts'
import { badgeOf, stateLabel } from '../state-family.ts'

/** All Runs of this repository, newest first, below their questions. */
export function Runs({ list }: { readonly list: RunList }) {
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>Runs</h1>
          <p className="sub mono">{list.repository}</p>
        </div>
        {list.runs.length > 0 && <StartLink title="Start" />}
      </header>
      {list.escalations.map((asked) => (
        <Question key={asked.id} asked={asked} />
      ))}
      {list.runs.length === 0 ? (
        <Empty icon="board" title="Nothing has been built here yet">
          <p>Give the crew a spec, or one editor a task, here or in a terminal:</p>
          <code>drydock run spec.md</code>
          <StartLink title="Start something" />
        </Empty>
      ) : (
        <Lines runs={list.runs} />
      )}
    </div>
  )
}

function Lines({ runs }: { readonly runs: readonly RunLine[] }) {
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const states = [...new Set(runs.map(badgeOf))].toSorted()
  const known = kindNames.filter((kind) => runs.some((run) => kindOf(run) === kind))
  const [state, chooseState] = useFilter('state', states)
  const [kind, chooseKind] = useFilter('kind', known)
  const { matches } = useTextFilter()
  const shown = runs.filter((run) => {
    if ((state !== null && badgeOf(run) !== state) || (kind !== null && kindOf(run) !== kind)) return false
    return matches(
      run.title,
      run.run,
      run.branch,
      kinds[kindOf(run)],
      run.outcome.label,
      ...Object.values(run.people ?? {}).flat(),
    )
  })
  return (
    <>
      <FilterBar
        what="runs"
        download={{ list: 'runs' }}
        filters={['state', 'kind']}
        shown={{ some: shown.length, all: runs.length }}
      >
        <FilterChoice
          label="State"
          all="Any state"
          options={states.map((value) => ({ value, title: stateLabel(value) }))}
          chosen={state}
          choose={chooseState}
        />
        <FilterChoice
          label="Kind"
          all="Any kind"
          options={known.map((value) => ({ value, title: kinds[value] }))}
          chosen={kind}
          choose={chooseKind}
        />
        {runs.length > 1 && chosen === null && (
          <button type="button" className="button" onClick={() => setChosen([])}>
            Compare two
          </button>
        )}
      </FilterBar>
      {shown.length === 0 ? (
        <Empty icon="search" title="No run is like that" />
      ) : (
        <ul className="run-list">
          {shown.map((run) => (
            <li key={run.run} className={chosen === null ? undefined : 'choosable'}>
              {chosen !== null && (
                <input
                  type="checkbox"
                  aria-label={`Compare ${run.title}, ${run.run}`}
                  checked={chosen.includes(run.run)}
                  disabled={chosen.length === 2 && !chosen.includes(run.run)}
                  onChange={() => setChosen(toggled(chosen, run.run))}
                />
              )}
              <Line run={run} />
            </li>
          ))}
        </ul>
      )}
      {chosen !== null && <CompareOffer chosen={chosen} close={() => setChosen(null)} />}
    </>
  )
}

function toggled(chosen: readonly string[], run: string): readonly string[] {
  return chosen.includes(run) ? chosen.filter((each) => each !== run) : [...chosen, run]
}

const kinds = {
  spec: 'Spec',
  plan: 'Plan',
  interview: 'Interview',
  task: 'Task',
  verify: 'Verification',
  scout: 'Question to a scout',
} as const

/** A spec that is not to be built is a plan. */
function kindOf({ kind, plan_only }: RunLine): keyof typeof kinds {
  return kind === 'spec' && plan_only ? 'plan' : kind
}

const kindNames = Object.keys(kinds) as readonly (keyof typeof kinds)[]

/** Memoized, so that unchanged Runs are not rendered again, however many there are. */
const Line = memo(function Line({ run }: { readonly run: RunLine }) {
  const { total, done } = run.stories
  return (
    <a className="run-line" href={href('runs', run.run)} data-item>
      <span className="run-line-title">
        <strong>{run.title}</strong>
        <span className="sub">
          {kinds[kindOf(run)]} · <Time at={run.started_at} />
          {run.branch !== null && <> · {run.branch}</>}
        </span>
      </span>
      <span className="row">
        {run.escalations > 0 && may('operator') && <span className="badge">{plural(run.escalations, 'question')}</span>}
        <Pill state={badgeOf(run)} label={run.outcome.label} title={outcomeSentence(run.outcome)} />
      </span>
      <span className="run-line-figures">
        <span>{total > 1 && `${done} of ${total} stories`}</span>
        <span>
          <Cost of={run.spending} />
        </span>
        <span>{count(run.spending.tokens)} tokens</span>
        <People of={run} />
        <span>
          <Age since={run.started_at} until={run.ended_at} />
        </span>
      </span>
    </a>
  )
})
