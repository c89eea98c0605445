import { type Benchmark, benchmarks } from './benchmarks.ts'
import type { Figure } from './figures.ts'

/** A row counts as much worse from a third above its earlier value. */
const muchWorse = 4 / 3

export interface Results {
  readonly machine: { readonly cores: number; readonly load_before: number }
  readonly figures: readonly Figure[]
}

export interface Comparison {
  /** Rows that became a third worse relative to the bare loop of the same run. */
  readonly worse: readonly string[]
  /** Rows without a partner in the bare loop: another machine or its load may be the reason. */
  readonly hints: readonly string[]
  /** The reasons why this run's times are less reliable. */
  readonly noise: readonly string[]
}

/**
 * Compares with earlier results. A time alone says little, since machines differ, so it is divided
 * by the bare loop's time.
 */
export function compare(now: Results, before: Results): Comparison {
  const [found, known] = [valuesOf(now), valuesOf(before)]
  const worse: string[] = []
  const hints: string[] = []
  for (const { name } of now.figures) {
    const benchmark: Benchmark = benchmarks[name]
    const { bare, compared = true } = benchmark
    const [value, earlier] = [found.get(name), known.get(name)]
    if (!compared || value === undefined || earlier === undefined) continue
    const [ours, theirs] = bare === undefined ? [] : [found.get(bare), known.get(bare)]
    if (ours !== undefined && theirs !== undefined) {
      const [ratio, ratioBefore] = [value / ours, earlier / theirs]
      if (ratio > ratioBefore * muchWorse)
        worse.push(`${name}: ${ratioBefore.toFixed(1)} -> ${ratio.toFixed(1)} times the bare loop`)
    } else if (isMuchWorse(benchmark, value, earlier)) hints.push(`${name}: ${earlier} -> ${value} ${benchmark.unit}`)
  }
  return { worse, hints, noise: [...noiseOf(now.machine), ...slowBareLoop(found, known)] }
}

/** Rows without a measurement have no value. */
function valuesOf({ figures }: Results): ReadonlyMap<string, number> {
  return new Map(figures.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])))
}

function isMuchWorse({ unit, target }: Benchmark, now: number, before: number): boolean {
  const moreIsBetter = unit === 'per second' || unit === '%' || (target !== undefined && 'above' in target)
  return moreIsBetter ? now * muchWorse < before : now > before * muchWorse
}

function noiseOf({ cores, load_before }: Results['machine']): readonly string[] {
  if (load_before <= cores / 2) return []
  return [`other programs ran before the start: load ${load_before} on ${cores} cores`]
}

function slowBareLoop(found: ReadonlyMap<string, number>, known: ReadonlyMap<string, number>): readonly string[] {
  const names = new Set(Object.values<Benchmark>(benchmarks).flatMap(({ bare }) => bare ?? []))
  return [...names].flatMap((name) => {
    const times = (found.get(name) ?? 0) / (known.get(name) ?? Number.POSITIVE_INFINITY)
    return times > muchWorse ? [`${name}: ${times.toFixed(1)} times as long as for the committed figures`] : []
  })
}
