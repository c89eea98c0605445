import { type FoundTest, keep, type ReadLines } from './found-tests.ts'

const total = /^Ran (\d{1,9}) tests? in \d+(?:\.\d+)?s$/
/** `test_add (test_sum.Sums.test_add) ... ok`; before Python 3.11 without the test's name in the brackets. */
const named = /^(\w+) \(([\w.]+)\) \.\.\. (ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/
const failure = /^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)/
const end = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/

/** Python's unittest. Without `-v` it names only the tests that failed; how many ran it always says. */
export const readUnittest: ReadLines = (lines) => {
  const totals = lines.flatMap((line) => total.exec(line)?.[1] ?? [])
  if (totals.length === 0) return null
  const tests: FoundTest[] = []
  const told = new Set<string>()
  for (const line of lines) {
    const [, name, where, said = 'FAIL'] = named.exec(line) ?? failure.exec(line) ?? []
    if (name === undefined || where === undefined) continue
    const path = pathOf(name, where)
    if (told.has(path.join('.'))) continue
    told.add(path.join('.'))
    keep(tests, { path, outcome: outcomeOf(said) })
  }
  const ran = totals.reduce((sum, count) => sum + Number(count), 0)
  const [failed, skipped] = [
    countOf(lines, ['failures', 'errors', 'unexpected successes']),
    countOf(lines, ['skipped']),
  ]
  const counts = { passed: Math.max(0, ran - failed - skipped), failed, skipped }
  return { format: 'unittest', tests, complete: tests.length === ran, counts }
}

function pathOf(name: string, where: string): readonly string[] {
  const parts = where.split('.')
  return [...(parts.at(-1) === name ? parts.slice(0, -1) : parts), name]
}

function outcomeOf(said: string): FoundTest['outcome'] {
  if (said === 'FAIL' || said === 'ERROR' || said === 'unexpected success') return 'failed'
  return said.startsWith('skipped') || said === 'expected failure' ? 'skipped' : 'passed'
}

/** Of the lines as `FAILED (failures=1, skipped=2)`. */
function countOf(lines: readonly string[], words: readonly string[]): number {
  return lines
    .flatMap((line) => end.exec(line)?.[1]?.split(', ') ?? [])
    .map((part) => part.split('='))
    .reduce((sum, [word = '', count = '0']) => sum + (words.includes(word) ? Number(count) : 0), 0)
}
