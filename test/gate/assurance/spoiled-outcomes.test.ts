import { expect, test } from 'vitest'
import type { TestOutcome, TestReport } from '../../../src/domain/verification/test-results.ts'
import type { SpoiledFile } from '../../../src/gate/assurance/spoiled-file.ts'
import { withOutcome } from '../../../src/gate/assurance/spoiled-outcomes.ts'
import type { TreeTests } from '../../../src/gate/tests-of-tree.ts'

const ranWith = (steps: Readonly<Record<string, Readonly<Record<string, TestOutcome>>>>): TreeTests => {
  const tests = Object.entries(steps).map(([step, results]): [string, TestReport] => [
    step,
    {
      format: 'unittest',
      complete: true,
      truncated: false,
      tests: Object.entries(results).map(([id, outcome]) => ({ id, outcome })),
    },
  ])
  return { commit: '', tree: '', status: 'PASS', tests: Object.fromEntries(tests), commands: [] }
}

const twice = { name: 'test_twice', line: '', isOld: false, was: '4', made: '5' }
const file = (path: string): SpoiledFile => {
  return { path, of: path, from: path, text: '', before: null, tests: [twice], all: [twice] }
}

/** The outcome of the spoiled test `test_twice` of a file, in any step. */
function outcomesOf(path: string, change: TreeTests, ran: TreeTests) {
  const run = { change, ran, spoiled: [file(path)], tokens: new Map() }
  return (['red', 'green', 'lost', 'unknown'] as const).filter((each) => withOutcome(run, [each]).length > 0)
}

const own = 'tests > test_stats > Stats > test_twice'
const other = 'app > parse > Parse > test_twice'

test('a test of the same name in another module and another step says nothing about a spoiled test', () => {
  const change = ranWith({ test: { [own]: 'passed' }, checks: { [other]: 'passed' } })
  const ran = ranWith({ test: { [own]: 'failed' }, checks: { [other]: 'passed' } })
  expect(outcomesOf('tests/test_stats.py', change, ran)).toEqual(['red', 'unknown'])
  expect(outcomesOf('app/parse.py', change, ran)).toEqual(['green', 'unknown'])
})

test('a test that other modules inherit is known by its name alone', () => {
  const change = ranWith({ test: { [own]: 'passed' } })
  expect(outcomesOf('tests/base.py', change, change)).toEqual(['green'])
  expect(outcomesOf('tests/base.py', change, ranWith({ test: { [own]: 'failed' } }))).toEqual(['red'])
})
