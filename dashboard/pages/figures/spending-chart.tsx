import { Area, AreaChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { Figures } from '../../../src/api/figures.ts'
import { formatCount, formatUsd } from '../../../src/domain/figures-text.ts'
import { exactTime } from '../../parts/time.tsx'
import { axis, legend, tooltip } from './chart-style.tsx'

interface Props {
  readonly spending: Figures['spending']
  readonly unit: 'cost_usd' | 'tokens'
}

const roles = [
  { role: 'architect', colour: 'var(--planning)' },
  { role: 'editor', colour: 'var(--building)' },
  { role: 'scout', colour: 'var(--verifying)' },
] as const

export function SpendingChart({ spending, unit }: Props) {
  const shown = unit === 'cost_usd' ? formatUsd : formatCount
  const points = spending.map((point) => ({ at: Date.parse(point.at), ...point[unit] }))
  return (
    <ResponsiveContainer width="100%" height={280}>
      <AreaChart data={points} margin={{ top: 8, right: 8, bottom: 0, left: 0 }} accessibilityLayer>
        <CartesianGrid stroke="var(--line)" vertical={false} />
        <XAxis
          {...axis}
          dataKey="at"
          type="number"
          domain={['dataMin', 'dataMax']}
          tickFormatter={(at: number) =>
            new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })
          }
          minTickGap={48}
        />
        <YAxis {...axis} width={64} tickFormatter={shown} />
        <Tooltip
          {...tooltip}
          formatter={(value) => shown(Number(value))}
          labelFormatter={(at) => exactTime(new Date(Number(at)).toISOString())}
        />
        <Legend {...legend} />
        {roles.map(({ role, colour }) => (
          <Area
            key={role}
            name={role}
            type="stepAfter"
            dataKey={role}
            stackId="1"
            stroke={colour}
            fill={colour}
            fillOpacity={0.25}
            strokeWidth={1.8}
            isAnimationActive={false}
          />
        ))}
      </AreaChart>
    </ResponsiveContainer>
  )
}
