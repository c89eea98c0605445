/** The style that all charts share, in the tokens of the theme. */
export const axis = {
  stroke: 'var(--line-strong)',
  tick: { fill: 'var(--ink-3)', fontSize: 12 },
  tickLine: false,
} as const

export const tooltip = {
  contentStyle: {
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: 8,
    color: 'var(--ink)',
  },
  labelStyle: { color: 'var(--ink-3)' },
  cursor: { fill: 'var(--surface-2)', stroke: 'var(--line-strong)' },
} as const

export const legend = {
  iconType: 'circle',
  iconSize: 8,
  wrapperStyle: { fontSize: 13 },
  /** Colours only the dot, so that the text stays readable. */
  formatter: (name: string) => <span className="chart-name">{name}</span>,
} as const
