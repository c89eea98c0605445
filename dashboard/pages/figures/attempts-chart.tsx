import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { Figures } from '../../../src/api/figures.ts'
import { stateLabel } from '../../state-family.ts'
import { axis, legend, tooltip } from './chart-style.tsx'

const outcomes = [
  { status: 'PASS', colour: 'var(--done)' },
  { status: 'FAIL', colour: 'var(--attention)' },
  { status: 'INFRA_ERROR', colour: 'var(--reviewing)' },
] as const

/** The results of the stories' first, second, … verification. */
export function AttemptsChart({ attempts }: { readonly attempts: Figures['attempts'] }) {
  return (
    <ResponsiveContainer width="100%" height={260}>
      <BarChart data={attempts} margin={{ top: 8, right: 8, bottom: 0, left: 0 }} accessibilityLayer>
        <CartesianGrid stroke="var(--line)" vertical={false} />
        <XAxis {...axis} dataKey="attempt" tickFormatter={(n: number) => `attempt ${n}`} />
        <YAxis {...axis} width={36} allowDecimals={false} />
        <Tooltip {...tooltip} labelFormatter={(n) => `Attempt ${n}`} />
        <Legend {...legend} />
        {outcomes.map(({ status, colour }) => (
          <Bar
            key={status}
            name={stateLabel(status)}
            dataKey={status}
            stackId="1"
            fill={colour}
            maxBarSize={56}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  )
}
