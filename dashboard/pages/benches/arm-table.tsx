import type { Bench, Rate } from '../../../src/api/benches.ts'
import { count, duration, money } from '../../figures-text.ts'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { armTitle } from './words.ts'

/** The figures of each arm, as in the report. */
export function ArmTable({ arms }: { readonly arms: Bench['arms'] }) {
  return (
    <ScrollBox label="Figures of each arm">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Arm</th>
            <th scope="col">Resolved</th>
            <th scope="col">False PASS</th>
            <th scope="col">False block</th>
            <th scope="col" title="Hidden tests that are red, of the attempts that were handed over">
              Visible hidden gap
            </th>
            <th scope="col" title="Right work that acceptance tests held, of the attempts in which they ran">
              Acceptance false block
            </th>
            <th scope="col" className="num">
              Errors
            </th>
            <th scope="col" className="num">
              Cost
            </th>
            <th scope="col" className="num">
              A resolved one
            </th>
            <th scope="col" className="num">
              Tokens
            </th>
            <th scope="col" className="num">
              Median time
            </th>
          </tr>
        </thead>
        <tbody>
          {arms.map((arm) => (
            <tr key={armTitle(arm)}>
              <th scope="row">{armTitle(arm)}</th>
              <td>
                <Percent rate={arm.resolved} />
              </td>
              <td>
                <Percent rate={arm.false_pass} />
              </td>
              <td>{arm.false_block === null ? 'it has no gate' : <Percent rate={arm.false_block} />}</td>
              <td>{arm.visible_hidden_gap === null ? '–' : <Percent rate={arm.visible_hidden_gap} />}</td>
              <td>{arm.acceptance_false_block === null ? '–' : <Percent rate={arm.acceptance_false_block} />}</td>
              <td className="num">{arm.errors}</td>
              <td className="num">{money(arm.cost_usd)}</td>
              <td className="num">{arm.cost_usd_per_resolved === null ? '–' : money(arm.cost_usd_per_resolved)}</td>
              <td className="num">{count(arm.tokens)}</td>
              <td className="num">{arm.wall_ms === null ? '–' : duration(arm.wall_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

/** Includes the 95 % confidence interval, since a few attempts prove little. */
function Percent({ rate: { hits, of, interval } }: { readonly rate: Rate }) {
  if (interval === null) return <>–</>
  const whole = (part: number) => Math.round(100 * part)
  return (
    <>
      {whole(hits / of)} %{' '}
      <span className="sub">
        {hits} of {of}, {whole(interval.low)}–{whole(interval.high)} %
      </span>
    </>
  )
}
