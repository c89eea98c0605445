import { useState } from 'react'
import type { Figures } from '../../../src/api/figures.ts'
import { useFigures } from '../../data/queries.ts'
import { plural } from '../../figures-text.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { RunHead } from '../../parts/run-head.tsx'
import { AttemptsChart } from './attempts-chart.tsx'
import { SpendingChart } from './spending-chart.tsx'
import { StatesChart } from './states-chart.tsx'

/** The use of money, tokens and time. */
export function FiguresPage({ run }: { readonly run: string }) {
  return (
    <div className="page">
      <RunHead run={run} title="Figures" />
      <Loaded query={useFigures(run)} what="the figures">
        {(figures) => <Charts figures={figures} />}
      </Loaded>
    </div>
  )
}

function Charts({ figures }: { readonly figures: Figures }) {
  const [unit, setUnit] = useState<'cost_usd' | 'tokens'>(
    figures.spending.some(({ cost_usd }) => Object.values(cost_usd).some((usd) => usd > 0)) ? 'cost_usd' : 'tokens',
  )
  return (
    <div className="charts">
      <section className="card wide">
        <div className="card-head">
          <h2>{unit === 'cost_usd' ? 'Cost' : 'Tokens'} over time, by role</h2>
          <fieldset className="segmented spread">
            <legend className="visually-hidden">Unit</legend>
            {(['cost_usd', 'tokens'] as const).map((each) => (
              <label key={each}>
                <input type="radio" name="unit" checked={unit === each} onChange={() => setUnit(each)} />
                {each === 'cost_usd' ? 'Cost' : 'Tokens'}
              </label>
            ))}
          </fieldset>
        </div>
        <div className="card-body">
          {figures.spending.length === 0 ? (
            <Empty icon="figures" title="No model has been asked yet" />
          ) : (
            <SpendingChart spending={figures.spending} unit={unit} />
          )}
          {figures.unpriced > 0 && unit === 'cost_usd' && (
            <p className="sub">
              {plural(figures.unpriced, 'call has', 'calls have')} no known price and are not in it.
            </p>
          )}
        </div>
      </section>
      <section className="card">
        <div className="card-head">
          <h2>Verifications by attempt</h2>
        </div>
        <div className="card-body">
          {figures.attempts.length === 0 ? (
            <Empty icon="checks" title="Nothing has been verified yet" />
          ) : (
            <AttemptsChart attempts={figures.attempts} />
          )}
        </div>
      </section>
      <section className="card">
        <div className="card-head">
          <h2>Time in each state</h2>
        </div>
        <div className="card-body">
          {figures.states.length === 0 ? (
            <Empty icon="board" title="No story has started yet" />
          ) : (
            <StatesChart states={figures.states} />
          )}
        </div>
      </section>
    </div>
  )
}
