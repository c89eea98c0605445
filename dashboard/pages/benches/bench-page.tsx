import { memo } from 'react'
import type { Bench, BenchAttempt } from '../../../src/api/benches.ts'
import { duration, money, plural } from '../../figures-text.ts'
import { FilterBar, FilterChoice } from '../../filters/filter-bar.tsx'
import { useFilter, useTextFilter } from '../../filters/use-filter.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { Age, Running } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { Fact, Facts } from '../kinds/facts.tsx'
import { ArmTable } from './arm-table.tsx'
import { useBench } from './use-benches.ts'
import {
  armTitle,
  armTitles,
  attemptTitle,
  badgeOfAttempt,
  badgeOfBench,
  verdictNames,
  verdictTitles,
} from './words.ts'
import './benches.css'

/** One run of `drydock bench`: its figures, and each task with its attempts. */
export function BenchPage({ id }: { readonly id: string }) {
  return (
    <div className="page">
      <Loaded query={useBench(id)} what="the bench">
        {(bench) => <Whole bench={bench} />}
      </Loaded>
    </div>
  )
}

function Whole({ bench }: { readonly bench: Bench }) {
  const { suite, models, version, folder, state, started_at, ended_at, planned, finished, unexpected } = bench
  const badge = badgeOfBench(bench)
  return (
    <>
      <header className="page-head">
        <div>
          <p className="sub">
            <a href={href('benches')}>Benches</a>
          </p>
          <h1>{suite}</h1>
          <p className="sub bench-about">
            {models} · Drydock {version} · {folder}
          </p>
        </div>
        <Pill state={badge.state} label={badge.label} live={state === 'going'} />
      </header>
      {state === 'stopped' && (
        <p className="notice">
          No process works on it, and {plural(planned - finished, 'attempt')} {planned - finished === 1 ? 'is' : 'are'}{' '}
          missing. Its command line goes on with <code>--resume</code>.
        </p>
      )}
      {unexpected !== null && unexpected > 0 && (
        <p className="notice">{plural(unexpected, 'attempt')} came to something else than the suite expects.</p>
      )}
      <Facts>
        <Fact name="Attempts">
          {finished} <small>of {planned} have ended</small>
        </Fact>
        <Fact name={ended_at === null ? 'Going for' : 'From start to end'}>
          <Age since={started_at} until={ended_at} />
        </Fact>
        <Fact name="Cost">{money(bench.cost_usd)}</Fact>
      </Facts>
      {unexpected === null && bench.arms.length > 0 && <ArmTable arms={bench.arms} />}
      <Attempts bench={bench} />
    </>
  )
}

const armNames = ['crew', 'task', 'solo'] as const

function Attempts({ bench: { id, attempts } }: { readonly bench: Bench }) {
  const arms = armNames.filter((arm) => attempts.some((attempt) => attempt.arm === arm))
  const [verdict, chooseVerdict] = useFilter('verdict', verdictNames)
  const [arm, chooseArm] = useFilter('arm', arms)
  const { matches } = useTextFilter()
  const shown = attempts.filter(
    (each) =>
      (verdict === null || each.result?.verdict === verdict) &&
      (arm === null || each.arm === arm) &&
      matches(each.task, armTitle(each), each.play, each.result?.outcome, badgeOfAttempt(each).label),
  )
  const rows = [...Map.groupBy(shown, (each) => `${each.task}\n${armTitle(each)}`)]
  return (
    <>
      <FilterBar
        what="attempts"
        download={{ list: 'attempts', bench: id }}
        filters={['verdict', 'arm']}
        shown={{ some: shown.length, all: attempts.length }}
      >
        <FilterChoice
          label="Verdict"
          all="Any verdict"
          options={verdictNames.map((value) => ({ value, title: verdictTitles[value] }))}
          chosen={verdict}
          choose={chooseVerdict}
        />
        <FilterChoice
          label="Arm"
          all="Any arm"
          options={arms.map((value) => ({ value, title: armTitles[value] }))}
          chosen={arm}
          choose={chooseArm}
        />
      </FilterBar>
      {rows.length === 0 ? (
        <Empty icon="search" title="No attempt is like that" />
      ) : (
        <ScrollBox label="Attempts by task">
          <table className="table bench-attempts">
            <thead>
              <tr>
                <th scope="col">Task</th>
                <th scope="col">Arm</th>
                <th scope="col">Attempts</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(([key, of]) => (
                <tr key={key}>
                  <th scope="row">{of[0]?.task}</th>
                  <td>{of[0] && armTitle(of[0])}</td>
                  <td>
                    <ul className="bench-cells">
                      {of.map((attempt) => (
                        <li key={attempt.name}>
                          <Cell bench={id} attempt={attempt} words={JSON.stringify(attempt)} />
                        </li>
                      ))}
                    </ul>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </>
  )
}

interface CellProps {
  readonly bench: string
  readonly attempt: BenchAttempt
  /** Compared as text, since each answer contains new objects. */
  readonly words: string
}

const Cell = memo(
  function Cell({ bench, attempt }: CellProps) {
    const { name, result, since } = attempt
    const badge = badgeOfAttempt(attempt)
    return (
      <a className="bench-cell" href={href('benches', bench, name)} title={badge.title} data-item>
        <span className="sub">{attemptTitle(attempt)}</span>
        <Pill state={badge.state} label={badge.label} live={attempt.state === 'working'} />
        <span className="sub">
          {result && `${duration(result.wall_ms)} · ${money(result.cost_usd)}`}
          {since !== null && <Running since={since} aheadMs={0} />}
        </span>
      </a>
    )
  },
  (before, after) => before.words === after.words && before.bench === after.bench,
)
