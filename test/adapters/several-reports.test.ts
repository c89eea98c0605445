import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readReport } from '../../src/adapters/test-reports/read-report.ts'
import { listed } from '../../src/domain/gate/gate-finding.ts'
import { compareCounts, compareTests } from '../../src/domain/verification/compare-tests.ts'
import { cutOffTests } from '../../src/domain/verification/unended.ts'

const sample = (name: string): string => readFileSync(join(import.meta.dirname, 'test-reports', name), 'utf8')
const printed = (output: string) => readReport({ junit: null, output })
const labelled = (label: string, text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `${label} ${line}`)
    .join('\n')
const junitOf = (count: number, name = 'a') =>
  `<testsuites name="vitest tests"><testsuite name="${name}.test.ts">${Array.from({ length: count }, (_, i) => `<testcase classname="${name}.test.ts" name="${i}"/>`).join('')}</testsuite></testsuites>`
const vitest = (count: number) =>
  ` RUN  v5.1.1 /repo\n\n ✓ a.test.ts (${count} tests) 3ms\n\n Test Files  1 passed (1)\n      Tests  ${count} passed (${count})\n`
const node = '✔ one (0.5ms)\n✔ two (0.1ms)\nℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0\n'

describe('a JUnit file beside what was printed', () => {
  test('holds all tests of its runner, and those of another are read beside it', () => {
    expect(readReport({ junit: junitOf(3), output: vitest(3) })).toMatchObject({ complete: true })
    const report = readReport({ junit: junitOf(3), output: `${vitest(3)}${node}` })
    expect(report).toMatchObject({ format: 'junit', runner: 'vitest', complete: true })
    expect(report?.tests.map(({ id }) => id)).toEqual(['a.test.ts > 0', 'a.test.ts > 1', 'a.test.ts > 2', 'one', 'two'])
  })

  test('that names no runner is of the one that ran as many tests', () => {
    const file = '<testsuites><testcase name="one" classname="x"/><testcase name="two" classname="x"/></testsuites>'
    expect(readReport({ junit: file, output: `${vitest(3)}${node}` })).toMatchObject({
      runner: 'node',
      complete: false,
      counts: { ran: 5 },
      unnamed: [{ runner: 'vitest', tests: 3 }],
    })
  })

  test('that the second run of the same runner has replaced does not hold the first', () => {
    expect(readReport({ junit: junitOf(24), output: vitest(110) + vitest(24) })).toMatchObject({
      complete: false,
      counts: { ran: 134, passed: 134 },
      unnamed: [{ runner: 'vitest', tests: 110 }],
    })
  })

  test('of programs that count their own tests is whole', () => {
    const file = '<testsuite name="(empty)"><testcase name="sums" status="run"/></testsuite>'
    expect(readReport({ junit: file, output: 'TAP version 13\nok 1 - a\nok 2 - b\n1..2\n' })).toMatchObject({
      complete: true,
      tests: [{ id: '(empty) > sums' }],
    })
  })

  test('that a task runner has restored holds nothing', () => {
    const output = `web:test: cache hit, suppressing logs 0123456789abcdef\n`
    expect(readReport({ junit: junitOf(3), output })).toMatchObject({ tests: [], complete: false })
  })
})

describe('runners that only count', () => {
  test.each([
    ['uvu', '\n  Total:     4\n  Passed:    3\n  Skipped:   1\n  Duration:  0.36ms\n', [3, 1, 1]],
    ['bun', ' 3 pass\n 1 skip\n 1 fail\n 5 expect() calls\nRan 5 tests across 1 file. [8.00ms]\n', [3, 1, 1]],
    ['deno', 'ok | 3 passed (2 steps) | 0 failed | 1 ignored (5ms)\n', [3, 0, 1]],
    ['jasmine', '4 specs, 1 failure, 1 pending spec\n', [2, 1, 1]],
    ['playwright', '  1 failed\n    a.spec.ts:3:5 › a\n  1 skipped\n  3 passed (2.1s)\n', [3, 1, 1]],
    ['rspec', '4 examples, 1 failure, 1 pending\n', [2, 1, 1]],
    ['minitest', '5 runs, 7 assertions, 1 failures, 1 errors, 1 skips\n', [2, 2, 1]],
    ['phpunit', 'OK (3 tests, 5 assertions)\n', [3, 0, 0]],
    ['phpunit', 'Tests: 5, Assertions: 5, Errors: 1, Failures: 1, Skipped: 1.\n', [2, 2, 1]],
    ['phpunit', 'Tests: 5, Assertions: 5, Warnings: 1, Skipped: 2.\n', [3, 0, 2]],
    ['phpunit', 'Tests: 5, Assertions: 5, PHPUnit Deprecations: 1, Skipped: 1, Incomplete: 1.\n', [3, 0, 2]],
    ['surefire', '[INFO]   5 passing (3ms)\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n', [3, 0, 0]],
    ['surefire', '[INFO] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n', [2, 2, 1]],
    ['ctest', '67% tests passed, 1 tests failed out of 3\n', [2, 1, 0]],
    ['googletest', '[  PASSED  ] 3 tests.\n[  FAILED  ] 1 test, listed below:\n', [3, 1, 0]],
    ['dotnet', 'Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms\n', [3, 0, 1]],
    ['exunit', '1 doctest, 4 tests, 1 failure, 1 skipped\n', [2, 1, 1]],
    ['shunit2', '\nRan \u001b[1;36m4\u001b[0m tests.\n\nOK (skipped=9)\n', [4, 0, 0]],
    ['its own program', '\nPASSED: 12\nFAILED: 0\n./test/strict\n\nPASSED: 3\nFAILED: 1\n', [15, 1, 0]],
    ['its own program', 'Tests passed: 12\nTests failed: 1\n', [12, 1, 0]],
    ['its own program', '--- passed=12 failed=1 ---\n', [12, 1, 0]],
    ['its own program', '12 passed, 1 failed, 2 skipped\n', [12, 1, 2]],
    ['its own program', 'All 12 tests passed!\n', [12, 0, 0]],
    ['its own program', '12/13 tests passed\n', [12, 1, 0]],
    ['nextest', '     Summary [   0.005s] 4 tests run: 3 passed, 1 failed, 1 skipped\n', [3, 1, 1]],
  ] as const)('are counted: %s, %j', (runner, output, [passed, failed, skipped]) => {
    expect(printed(output)).toMatchObject({ tests: [], complete: false, counts: { passed, failed, skipped } })
    expect(printed(output)?.unnamed).toMatchObject([{ runner, tests: passed + failed + skipped }])
  })

  test.each(['Failed: 0\n', '12 failed to open\n', 'All checks passed\n', 'password: 12\n', 'bypassed: 3 of 4\n'])(
    'are not what %j speaks of',
    (output) => {
      expect(printed(output)).toBeNull()
    },
  )

  test('are no program beside a runner, or beside its report', () => {
    const totals = '\nPASSED: 12\nFAILED: 0\n'
    expect(printed(`${sample('node-tap.txt')}${totals}`)).toEqual(printed(sample('node-tap.txt')))
    expect(readReport({ junit: junitOf(3), output: totals })).toEqual(readReport({ junit: junitOf(3), output: '' }))
  })

  test('are added to those that name their tests, whose names still say when one is gone', () => {
    const report = printed(`${sample('vitest-verbose.txt')}\n  Total:     4\n  Passed:    4\n  Skipped:   0\n`)
    expect(report).toMatchObject({ complete: false, unnamed: [{ runner: 'uvu', tests: 4 }] })
    expect(report?.counts?.passed).toBe(9 - 3 + 4)
    expect(report?.tests.every(({ whole }) => whole)).toBe(true)
  })
})

describe('the labels of a task runner', () => {
  test.each([
    ['packages/a test:', 'packages/a/test/words.test.ts > joins'],
    ['web:test:', 'web:test > test/words.test.ts > joins'],
    ['[web]', 'web > test/words.test.ts > joins'],
    ['[web]:', 'web > test/words.test.ts > joins'],
    ['web:', 'web > test/words.test.ts > joins'],
    ['web:test |', 'web:test > test/words.test.ts > joins'],
    ['@scope/web:test:', '@scope/web:test > test/words.test.ts > joins'],
  ])('tell the tests of its programs apart, however their lines are mixed: %s', (label, id) => {
    const own = labelled(label, sample('vitest-verbose.txt')).split('\n')
    const other = labelled('other:', node).split('\n')
    const mixed = own.flatMap((line, at) => [line, ...(other[at] === undefined ? [] : [other[at]])])
    const report = printed(`> turbo run test\n\n${mixed.join('\n')}\n\n Tasks:    2 successful, 2 total\n`)
    expect(report).toMatchObject({ complete: true })
    const ids = report?.tests.map((each) => each.id)
    expect(ids).toContain(id)
    expect(ids).toContain('other > one')
  })

  test('are none before the tests of a program that prints alone', () => {
    const alone = printed(sample('node-tap.txt'))
    expect(printed(`note: a line\nwarning: a line\n${sample('node-tap.txt')}`)).toEqual(alone)
  })

  test('tell what is repeated from what ran', () => {
    const output = [
      'a:test: cache hit, replaying logs 0123456789abcdef',
      labelled('a:test:', node),
      labelled('b:test:', sample('vitest-verbose.txt')),
    ].join('\n')
    const report = printed(output)
    expect(report).toMatchObject({ complete: false, unnamed: [{ runner: 'node', tests: null }] })
    expect(report?.counts).toBeUndefined()
    expect(report?.tests.every(({ id }) => id.startsWith('b:test > '))).toBe(true)
  })

  test.each([
    ['turbo', `${node} Tasks:    1 successful, 1 total\n  Time:    40ms >>> FULL TURBO\n`],
    ['nx', `> nx run a:test  [existing outputs match the cache, left as is]\n\n${node}`],
    ['nx with the local cache', `> nx run a:test  [local cache]\n\n${node}`],
    ['wireit', `${node}✅ Ran 0 scripts and skipped 1 in 0s.\n✅ [test] Restored from cache\n`],
    ['Gradle', `> Task :test FROM-CACHE\n${node}`],
  ])('of %s are not needed to notice a repeated result', (_what, output) => {
    expect(printed(output)).toMatchObject({ tests: [], complete: false })
  })
})

describe('what is printed beside a JUnit file', () => {
  const file = (names: readonly string[]) =>
    `<testsuites name="pytest tests"><testsuite name="pytest">${names.map((name) => `<testcase classname="tests.test_a" file="tests/test_a.py" name="${name}"/>`).join('')}</testsuite></testsuites>`
  const names = ['a', 'b', 'c', 'd', 'e']
  const totals = '\n Test Files  1 passed (1)\n      Tests  5 passed (5)\n'
  const lost = (output: string, base = '') => {
    const step = {
      step: 'test',
      base: readReport({ junit: file(names), output: base }),
      change: readReport({ junit: file(['a']), output: `${base}${output}` }),
    }
    return compareTests([step]).flatMap(({ kind, evidence }) => `${kind}: ${evidence}`)
  }
  const ids = readReport({ junit: file(names), output: '' })?.tests.map(({ id }) => id) ?? []
  const gone = [`tests_removed: ${listed(ids.slice(1))}`]

  test.each([
    ['a file of tests', ` ✓ tests/test_a.py (5 tests) 3ms\n${totals}`],
    ['all of their names', ` RUN  v5.1.1 /repo\n\n${ids.map((id) => ` ✓ ${id} 1ms\n`).join('')}${totals}`],
    ['their number', '  Total:     5\n  Passed:    5\n  Skipped:   0\n'],
    ['their number, by the same runner', '===== 5 passed in 0.02s =====\n'],
    ['a program with a label', `[tests/test_a.py] ${ids.map((id) => ` ✓ ${id}`).join('\n')}\n${totals}`],
    ['nothing', ''],
  ])('takes none of its tests away: %s', (_what, output) => {
    expect(lost(output)).toEqual(gone)
    expect(lost(output, '  Total:     5\n  Passed:    5\n  Skipped:   0\n')).toEqual(gone)
  })

  test('is no finding where the file names all', () => {
    const whole = (output: string) => readReport({ junit: file(names), output })
    for (const output of [vitest(3), node, '  Total:     5\n  Passed:    5\n  Skipped:   0\n'])
      for (const steps of [[{ step: 'test', base: whole(''), change: whole(output) }]])
        expect([...compareTests(steps), ...compareCounts(steps)]).toEqual([])
  })
})

describe('the number of tests of one runner', () => {
  const uvu = (count: number) => `  Total:     ${count}\n  Passed:    ${count}\n  Skipped:   0\n`
  test('does not pay for those of another', () => {
    const steps = [{ step: 'test', base: printed(vitest(5) + uvu(3)), change: printed(vitest(7) + uvu(1)) }]
    expect(compareCounts(steps).map(({ claim }) => claim)).toEqual([
      'Fewer tests of uvu ran than on the base commit: 1 instead of 3, in step test.',
    ])
  })

  test('does not pay for a file of another', () => {
    const pytest = (names: string[]) =>
      `===== test session starts =====\n${names.map((name) => `t/test_a.py::${name} PASSED [ 10%]\n`).join('')}\n===== ${names.length} passed in 0.02s =====\n`
    const base = printed(pytest(['test_a', 'test_b']))
    const fake = printed(
      `${pytest(['test_a'])} ✓ t/test_a.py (1 test) 3ms\n\n Test Files  1 passed (1)\n      Tests  1 passed (1)\n`,
    )
    expect(compareTests([{ step: 'test', base, change: fake }]).map(({ kind }) => kind)).toEqual(['tests_removed'])
  })

  test('is told of a file whose tests have lost their names', () => {
    const mixed = (own: string) => printed(`${sample('pytest-v.txt')}\n${own}`)
    const tree =
      ' RUN  v5.1.1 /repo\n\n ✓ a.test.ts > x 1ms\n ✓ a.test.ts > y 1ms\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n'
    const steps = [{ step: 'test', base: mixed(tree), change: mixed(vitest(2)) }]
    expect([...compareTests(steps), ...compareCounts(steps)]).toEqual([])
  })
})

describe('words of a cache', () => {
  test.each([
    'INFO page 3: Restored from cache',
    '  ✔ the page is Restored from cache',
    'web:build: cache hit, replaying logs 0123456789abcdef',
    '> nx run web:build  [local cache]',
    'the log says: > Task :test FROM-CACHE',
    '> Task :compileTestJava FROM-CACHE',
    '> Task :processTestResources UP-TO-DATE',
    '> Task :testClasses UP-TO-DATE',
    '> Task :latest:jar FROM-CACHE',
    '✅ [build] Restored from cache',
    '• Running build in 2 packages\n Tasks:    2 successful, 2 total\n  Time:    40ms >>> FULL TURBO',
  ])('that are not of a task of tests change nothing: %s', (line) => {
    expect(readReport({ junit: junitOf(6), output: `${line}\n` })).toMatchObject({ complete: true })
    expect(printed(`${line}\n\n  5 passing (1ms)\n`)).toMatchObject({ counts: { passed: 5 } })
  })

  test('do not say that a runner did not come to its end', () => {
    const base = readReport({ junit: junitOf(3), output: '' })
    const change = readReport({ junit: junitOf(3), output: '> Task :test FROM-CACHE\n' })
    expect(change).toMatchObject({ tests: [], replayed: true })
    expect(cutOffTests({ base, change, command: { exit_code: 0 } })).toEqual([])
    expect(compareTests([{ step: 'test', base, change }]).map(({ kind }) => kind)).toEqual(['tests_unread'])
  })
})

describe('more labels than a task runner has programs', () => {
  test('are one output', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, at) => `a${at}:   5 passing (1ms)\n`).join('')
    expect(printed(lines(3_000))).toBeNull()
    expect(printed(lines(200))?.unnamed).toEqual([{ runner: 'mocha', tests: 1_000, ran: 1_000 }])
  })
})
