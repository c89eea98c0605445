import type { RoleSpending, Spending } from '../../src/api/spending.ts'
import { count, money } from '../figures-text.ts'
import { ScrollBox } from './scroll-box.tsx'

/** The cost, never rounded down: calls without a known price are mentioned. */
export function Cost({ of }: { readonly of: Pick<Spending, 'cost_usd' | 'unpriced'> }) {
  if (of.unpriced === 0) return <>{money(of.cost_usd)}</>
  const title = `${count(of.unpriced)} calls have no known price`
  return <span title={title}>{of.cost_usd === 0 ? 'no price known' : `≥ ${money(of.cost_usd)}`}</span>
}

export function SpendingTable({ rows }: { readonly rows: readonly RoleSpending[] }) {
  return (
    <ScrollBox label="Spending by role">
      <table className="table">
        <thead>
          <tr>
            <th>Role</th>
            <th className="num">Calls</th>
            <th className="num">Failed</th>
            <th className="num">Tokens in</th>
            <th className="num">From cache</th>
            <th className="num">Tokens out</th>
            <th className="num">Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.agent}/${row.story}`}>
              <td className="capital">{row.agent}</td>
              <td className="num">{count(row.calls)}</td>
              <td className="num">{count(row.failed)}</td>
              <td className="num">{count(row.input)}</td>
              <td className="num">{count(row.cache_read)}</td>
              <td className="num">{count(row.output)}</td>
              <td className="num">
                <Cost of={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
