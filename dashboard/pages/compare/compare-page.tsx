import { useId } from 'react'
import type { Comparison } from '../../../src/api/comparison.ts'
import type { RunLine } from '../../../src/api/runs.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { href, navigate } from '../../router.ts'
import { badgeOf, stateLabel } from '../../state-family.ts'
import { FilesCompared, SettingsCompared } from './compared-lists.tsx'
import { RunsCompared } from './compared-runs.tsx'
import { StoriesCompared } from './compared-stories.tsx'
import { useComparison } from './use-comparison.ts'
import './compare.css'

interface Props {
  readonly runs: readonly RunLine[]
  /** The ids in the address; '' if none is chosen. */
  readonly a: string
  readonly b: string
}

/** Two Runs side by side: their results, and the differences in their settings. */
export function ComparePage({ runs, a, b }: Props) {
  const query = useComparison(a, b)
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>Compare two runs</h1>
        </div>
      </header>
      <div className="compare-choose">
        <Choose label="First run" runs={runs} chosen={a} other={b} choose={(run) => navigate('compare', run, b)} />
        <Choose
          label="Second run"
          runs={runs}
          chosen={b}
          other={a}
          choose={(run) => navigate('compare', ...(a === '' ? ['-'] : [a]), run)}
        />
        {a !== '' && b !== '' && (
          <a className="button" href={href('compare', b, a)}>
            Swap
          </a>
        )}
      </div>
      {a === '' || b === '' ? (
        <Empty icon="figures" title={runs.length < 2 ? 'There are not two runs yet' : 'Choose two runs'}>
          <p>You then see their outcomes, costs, verdicts, stories and settings side by side.</p>
        </Empty>
      ) : a === b ? (
        <Empty icon="figures" title="This is the same run twice">
          <p>Choose another run to compare it with.</p>
        </Empty>
      ) : (
        <Loaded query={query} what="the comparison">
          {(comparison) => <Compared comparison={comparison} />}
        </Loaded>
      )}
    </div>
  )
}

function Compared({ comparison }: { readonly comparison: Comparison }) {
  const { same_request: isSame, same_base: isSameBase } = comparison
  return (
    <>
      <p className="sub">
        {isSame ? 'Both runs were asked for with the same words' : 'The runs were asked for with different words'}
        {isSameBase === null ? '.' : isSameBase ? ', and started from the same commit.' : ', on different commits.'}
      </p>
      <RunsCompared comparison={comparison} />
      <SettingsCompared comparison={comparison} />
      <StoriesCompared comparison={comparison} />
      <FilesCompared comparison={comparison} />
    </>
  )
}

interface ChooseProps {
  readonly label: string
  readonly runs: readonly RunLine[]
  readonly chosen: string
  readonly other: string
  readonly choose: (run: string) => void
}

/** A chosen run that is no longer in the list stays chosen, so that its error is shown. */
function Choose({ label, runs, chosen, other, choose }: ChooseProps) {
  const id = useId()
  const isKnown = chosen === '' || runs.some(({ run }) => run === chosen)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={chosen} onChange={({ target }) => choose(target.value)}>
        <option value="" disabled>
          Choose a run
        </option>
        {!isKnown && <option value={chosen}>{chosen}</option>}
        {runs.map((run) => (
          <option key={run.run} value={run.run} disabled={run.run === other}>
            {run.title} · {run.outcome.label ?? stateLabel(badgeOf(run))} · {run.run}
          </option>
        ))}
      </select>
    </div>
  )
}
