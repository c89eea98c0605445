import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Benchmark, type BenchmarkName, benchmarks, type GroupFigures } from '../bench/benchmarks.ts'
import { compare } from '../bench/compare.ts'
import { type Figure, judge, table } from '../bench/figures.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const docs = read('bench/README.md')
const { figures } = JSON.parse(read('bench/results.json')) as { figures: readonly Figure[] }
const names = Object.keys(benchmarks) as BenchmarkName[]

test('bench/README.md says of every benchmark what it is, and of nothing else', () => {
  const rows = (docs.split('## Last figures')[0] ?? '').match(/^\| (?!benchmark \||---).*$/gm) ?? []
  const told = rows.flatMap((row) => namesIn(row.split(' | ')[0]?.replace('| ', '') ?? ''))
  expect(told).toEqual(names)
})

test('bench/README.md shows the last results', () => {
  expect(docs).toContain(`\`\`\`\n${table(figures)}\n\`\`\``)
})

describe('bench/results.json', () => {
  test('holds every benchmark with its unit and its target', () => {
    const measured: GroupFigures = Object.fromEntries(names.map((name) => [name, 1]))
    const shape = (figure: Figure) => ({ name: figure.name, unit: figure.unit, target: figure.target })
    expect(figures.map(shape)).toEqual(judge(measured).map(shape))
  })
})

test('a value is judged before it is rounded', () => {
  const [figure] = judge({ 'first model request': 500.4 })
  expect(figure).toEqual({ name: 'first model request', value: 500, unit: 'ms', target: '< 500', ok: false })
})

test('a row that needs a missing program says so, and is not judged', () => {
  const figures = judge({ 'fsyncs of a turn with a read': null, 'turn with a read': 5 })
  expect(figures[1]).toMatchObject({ value: null, ok: null })
  expect(table(figures)).toContain('not counted')
  expect(table(figures)).toContain('strace is not installed')
})

describe('a comparison with the committed figures', () => {
  const quiet = { cores: 2, load_before: 0.3 }
  const results = (measured: GroupFigures, machine = quiet) => ({ machine, figures: judge(measured) })
  const before = results({ 'turn with a read': 6.2, 'bare loop, turn with a read': 2, 'first model request': 200 })

  test('names the row that became a third worse, measured by the bare loop', () => {
    const now = results({ 'turn with a read': 8.8, 'bare loop, turn with a read': 2 })
    expect(compare(now, before).worse).toEqual(['turn with a read: 3.1 -> 4.4 times the bare loop'])
  })

  test('does not blame a row for a machine on which the bare loop is slower, too, and says that it is', () => {
    const now = results({ 'turn with a read': 18.6, 'bare loop, turn with a read': 6 })
    const { worse, hints, noise } = compare(now, before)
    expect([worse, hints]).toEqual([[], []])
    expect(noise).toEqual(['bare loop, turn with a read: 3.0 times as long as for the committed figures'])
  })

  test('sees a change that a faster machine would hide', () => {
    const now = results({ 'turn with a read': 6.2, 'bare loop, turn with a read': 1 })
    expect(compare(now, before).worse).toEqual(['turn with a read: 3.1 -> 6.2 times the bare loop'])
  })

  test('takes a row without a partner for a hint only, in the direction that is worse for it', () => {
    const known = results({ 'events appended': 3_000, 'memory of a 30-turn task': 100, 'first model request': 200 })
    const now = results({ 'events appended': 2_000, 'memory of a 30-turn task': 60, 'first model request': 300 })
    expect(compare(now, known)).toMatchObject({
      worse: [],
      hints: ['first model request: 200 -> 300 ms', 'events appended: 3000 -> 2000 per second'],
    })
  })

  test('compares with nothing what was not measured before or cannot be measured here', () => {
    const now = results({ 'fsyncs of a turn with a read': null, 'get_diff, p99': 500 })
    expect(compare(now, before)).toEqual({ worse: [], hints: [], noise: [] })
  })

  test('says that other programs ran', () => {
    const { noise } = compare(results({}, { cores: 2, load_before: 8.2 }), before)
    expect(noise).toEqual(['other programs ran before the start: load 8.2 on 2 cores'])
  })

  test('measures rows by rows of the bare loop alone', () => {
    const bare = Object.values<Benchmark>(benchmarks).flatMap((row) => row.bare ?? [])
    const yardsticks = names.filter((name) => name.startsWith('bare loop, '))
    expect([...new Set(bare)].toSorted()).toEqual(yardsticks.toSorted())
  })
})

/** A cell names one or several benchmarks, and a name may itself contain a comma. */
function namesIn(cell: string): readonly string[] {
  if (names.some((name) => name === cell)) return [cell]
  return cell.split(cell.includes('; ') ? '; ' : ', ')
}
