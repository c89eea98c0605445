import type { BenchLine } from '../../../src/api/benches.ts'
import { formatCount, formatUsd } from '../../../src/domain/figures-text.ts'
import { plural } from '../../figures-text.ts'
import { FilterBar, FilterChoice } from '../../filters/filter-bar.tsx'
import { useFilter, useTextFilter } from '../../filters/use-filter.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Age, Time } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { useBenches } from './use-benches.ts'
import { badgeOfBench, benchTitles, inText, verdictNames } from './words.ts'
import './benches.css'

/** All runs of `drydock bench` that this installation knows, newest first. */
export function BenchesPage() {
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>Benches</h1>
          <p className="sub">
            What <code>drydock bench</code> has measured: whether work comes out right, by tests that no agent has seen.
          </p>
        </div>
      </header>
      <Loaded query={useBenches()} what="the benches">
        {({ benches }) =>
          benches.length === 0 ? (
            <Empty icon="figures" title="Nothing has been measured yet">
              <p>Give it a suite of tasks. This one needs no model, and shows whether the suite is sound:</p>
              <code>drydock bench examples/suite --self-test</code>
            </Empty>
          ) : (
            <Lines benches={benches} />
          )
        }
      </Loaded>
    </div>
  )
}

const states = ['going', 'finished', 'stopped'] as const

function Lines({ benches }: { readonly benches: readonly BenchLine[] }) {
  const [state, choose] = useFilter('state', states)
  const { matches } = useTextFilter()
  const shown = benches.filter(
    (bench) => (state === null || bench.state === state) && matches(bench.suite, bench.models, bench.folder),
  )
  return (
    <>
      <FilterBar
        what="benches"
        download={{ list: 'benches' }}
        filters={['state']}
        shown={{ some: shown.length, all: benches.length }}
      >
        <FilterChoice
          label="State"
          all="Any state"
          options={states.map((value) => ({ value, title: benchTitles[value] }))}
          chosen={state}
          choose={choose}
        />
      </FilterBar>
      {shown.length === 0 ? (
        <Empty icon="search" title="No bench is like that" />
      ) : (
        <ul className="run-list">
          {shown.map((bench) => (
            <li key={bench.id}>
              <Line bench={bench} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Line({ bench }: { readonly bench: BenchLine }) {
  const { id, suite, models, folder, started_at, ended_at, planned, finished, verdicts, cost_usd, tokens } = bench
  const badge = badgeOfBench(bench)
  return (
    <a className="run-line" href={href('benches', id)} data-item>
      <span className="run-line-title">
        <strong>{suite}</strong>
        <span className="sub">
          {models} · <Time at={started_at} /> · {folder}
        </span>
      </span>
      <span className="row">
        <Pill state={badge.state} label={badge.label} live={bench.state === 'going'} />
      </span>
      <span className="run-line-figures">
        <span>
          {finished} of {plural(planned, 'attempt')}
        </span>
        {verdictNames.map((verdict) => (
          <span key={verdict}>{(verdicts[verdict] ?? 0) > 0 && `${verdicts[verdict]} ${inText(verdict)}`}</span>
        ))}
        <span>{formatUsd(cost_usd)}</span>
        <span>{formatCount(tokens)} tokens</span>
        <span>
          <Age since={started_at} until={ended_at} />
        </span>
      </span>
    </a>
  )
}
