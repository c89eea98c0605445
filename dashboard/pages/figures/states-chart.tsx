import { Bar, BarChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { Figures } from '../../../src/api/figures.ts'
import { formatDuration } from '../../../src/domain/figures-text.ts'
import { markedText } from '../../../src/domain/hidden-characters.ts'
import { type Family, familiesNow, family } from '../../state-family.ts'
import { axis, tooltip } from './chart-style.tsx'

/** The time of each story in each family of states. */
export function StatesChart({ states }: { readonly states: Figures['states'] }) {
  const rows = states.map(({ title, story, seconds }) => ({
    name: unbroken(markedText(title)),
    story,
    ...sums(seconds),
  }))
  const shown = familiesNow().filter(({ id }) => id !== 'done' && rows.some((row) => (row[id] ?? 0) > 0))
  return (
    <>
      {/** biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className="chart-scroll" tabIndex={0} aria-label="Time of each story">
        <ResponsiveContainer width="100%" height={Math.max(120, rows.length * 34 + 40)}>
          <BarChart data={rows} layout="vertical" margin={{ top: 0, right: 8, bottom: 0, left: 0 }} accessibilityLayer>
            <XAxis
              {...axis}
              type="number"
              tickFormatter={(seconds: number) => formatDuration(seconds * 1_000)}
              minTickGap={32}
            />
            <YAxis {...axis} type="category" dataKey="name" width={170} interval={0} />
            <Tooltip {...tooltip} formatter={(seconds) => formatDuration(Number(seconds) * 1_000)} />
            {shown.map(({ id, title }) => (
              <Bar
                key={id}
                dataKey={id}
                name={title}
                stackId="1"
                fill={`var(--${id})`}
                maxBarSize={18}
                isAnimationActive={false}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </section>
      <ul className="legend">
        {shown.map(({ id, title }) => (
          <li key={id} className={id}>
            <span className="dot" aria-hidden="true" />
            {title}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Non-breaking, so that the title stays on one line if there is room. */
function unbroken(title: string): string {
  return (title.length > 23 ? `${title.slice(0, 22)}…` : title).replaceAll(' ', '\u00a0')
}

function sums(seconds: Figures['states'][number]['seconds']): Partial<Record<Family, number>> {
  const found: Partial<Record<Family, number>> = {}
  for (const { state, seconds: spent } of seconds) {
    const id = family(state)
    found[id] = (found[id] ?? 0) + spent
  }
  return found
}
