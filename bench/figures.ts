import { type Benchmark, type BenchmarkName, benchmarks, type GroupFigures } from './benchmarks.ts'

/** One line of the results; `ok` is null without a target or a value. */
export interface Figure {
  readonly name: BenchmarkName
  /** Null if a required program was missing. */
  readonly value: number | null
  readonly unit: Benchmark['unit']
  readonly target: string | null
  readonly ok: boolean | null
}

/** All measurements with their verdicts, in the order of the list. */
export function judge(measured: GroupFigures): readonly Figure[] {
  return Object.entries(benchmarks as Readonly<Record<string, Benchmark>>).flatMap(
    ([key, { unit, target }]): Figure[] => {
      const name = key as BenchmarkName
      const exact = measured[name]
      if (exact === undefined) return []
      if (exact === null) return [{ name, value: null, unit, target: target ? words(target) : null, ok: null }]
      const value = rounded(exact)
      if (target === undefined) return [{ name, value, unit, target: null, ok: null }]
      // The exact value is compared, so that rounding cannot make it pass its target.
      return [{ name, value, unit, target: words(target), ok: meets(exact, target) }]
    },
  )
}

type Target = NonNullable<Benchmark['target']>

function meets(value: number, target: Target): boolean {
  if ('below' in target) return value < target.below
  return 'above' in target ? value > target.above : value === target.exactly
}

function words(target: Target): string {
  if ('below' in target) return `< ${target.below}`
  return 'above' in target ? `> ${target.above}` : `${target.exactly}`
}

function rounded(value: number): number {
  return Number(value.toPrecision(value >= 1_000 ? 4 : 3))
}

function whatIsMissing(name: BenchmarkName): string {
  return `${(benchmarks as Readonly<Record<string, Benchmark>>)[name]?.needs} is not installed`
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, target, ok }) => ({
    name,
    value: value === null ? 'not counted' : `${value} ${unit}`,
    target: target ?? '',
    said: value === null ? whatIsMissing(name) : ok === null ? '' : ok ? 'ok' : 'MISSED',
  }))
  const width = (key: 'name' | 'value' | 'target') => Math.max(...rows.map((row) => row[key].length))
  return rows
    .map(({ name, value, target, said }) =>
      `${name.padEnd(width('name'))}  ${value.padStart(width('value'))}  ${target.padEnd(width('target'))}  ${said}`.trimEnd(),
    )
    .join('\n')
}
