import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type BenchmarkName, benchmarks, type Measured } from '../bench/benchmarks.ts'
import { type Figure, judge, table } from '../bench/figures.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const docs = read('docs/benchmarks.md')
const { figures } = JSON.parse(read('bench/results.json')) as { figures: readonly Figure[] }
const names = Object.keys(benchmarks) as BenchmarkName[]

describe('docs/benchmarks.md', () => {
  test('says of every benchmark what it is, and of nothing else', () => {
    const rows = (docs.split('## Last figures')[0] ?? '').match(/^\| (?!benchmark \||---).*$/gm) ?? []
    const told = rows.flatMap((row) => namesIn(row.split(' | ')[0]?.replace('| ', '') ?? ''))
    expect(told).toEqual(names)
  })

  test('shows the last results', () => {
    expect(docs).toContain(`\`\`\`\n${table(figures)}\n\`\`\``)
  })
})

describe('bench/results.json', () => {
  test('holds every benchmark with its unit and its target', () => {
    const measured: Measured = Object.fromEntries(names.map((name) => [name, 1]))
    const shape = (figure: Figure) => ({ name: figure.name, unit: figure.unit, target: figure.target })
    expect(figures.map(shape)).toEqual(judge(measured).map(shape))
  })
})

test('a value is judged before it is rounded', () => {
  const [figure] = judge({ 'first model request': 500.4 })
  expect(figure).toEqual({ name: 'first model request', value: 500, unit: 'ms', target: '< 500', ok: false })
})

/** A cell names one benchmark or several, and a name may hold a comma itself. */
function namesIn(cell: string): readonly string[] {
  if (names.some((name) => name === cell)) return [cell]
  return cell.split(cell.includes('; ') ? '; ' : ', ')
}
