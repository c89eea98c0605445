import type { ReactNode } from 'react'
import type { RunDetail } from '../../../src/api/runs.ts'
import { count } from '../../figures-text.ts'
import { Cost } from '../../parts/spending.tsx'
import { Age } from '../../parts/time.tsx'

/** A row of figures above a result. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="stats">{children}</dl>
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The time and cost of a Run of any kind. */
export function Taken({ detail }: { readonly detail: RunDetail }) {
  const { spending, started_at, ended_at, kind } = detail
  return (
    <>
      <Fact name={ended_at === null ? 'Running for' : 'Took'}>
        <Age since={started_at} until={ended_at} />
      </Fact>
      {kind !== 'verify' && (
        <>
          <Fact name="Cost">
            <Cost of={spending} />
          </Fact>
          <Fact name="Calls">
            {count(spending.calls)} <small>models, {count(spending.tool_calls)} tools</small>
          </Fact>
        </>
      )}
    </>
  )
}
