import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestReports } from '../../src/adapters/test-reports/create.ts'
import { readReport } from '../../src/adapters/test-reports/read-report.ts'
import { readersVersion } from '../../src/adapters/test-reports/readers-version.ts'
import { limits } from '../../src/domain/limits.ts'
import type { TestReport } from '../../src/domain/verification/test-results.ts'

const sample = (name: string): string => readFileSync(join(import.meta.dirname, 'test-reports', name), 'utf8')
const printed = (output: string): TestReport | null => readReport({ junit: null, output })
const junit = (text: string): TestReport | null => readReport({ junit: text, output: '' })

/** `+` passed, `-` failed, `s` skipped. */
function lines(report: TestReport | null): readonly string[] {
  const marks = { passed: '+', failed: '-', skipped: 's' }
  const head = report && `${report.format} ${report.complete ? 'complete' : 'in part'}${report.truncated ? ' cut' : ''}`
  return [head ?? 'unknown', ...(report?.tests ?? []).map(({ id, outcome }) => `${marks[outcome]} ${id}`)]
}

const vitestSums = [
  '+ test/sums.test.ts > sums > adds',
  '+ test/sums.test.ts > sums > adds #2',
  '- test/sums.test.ts > sums > of many > is empty',
  's test/sums.test.ts > sums > of many > waits',
  's test/sums.test.ts > sums > of many > will be',
  '+ test/sums.test.ts > said > so',
  '+ test/sums.test.ts > slow',
]
const vitestWords = ['+ test/words.test.ts > joins', '+ test/words.test.ts > splits 2ms']
const nodeTests = [
  '- test/broken.test.mjs',
  '+ sums > adds',
  '+ sums > adds #2',
  '- sums > of many > is empty',
  's sums > of many > waits',
  's sums > of many > will be',
  '+ a parent > a # child',
  's later',
  '+ joins',
  '+ adds',
]
const python = (file: string, tests: readonly string[]): readonly string[] =>
  tests.map((test) => test.replace(' ', ` ${file} > `))
const pythonSums = [
  '+ TestSums > test_adds',
  '+ TestSums > test_many[1]',
  '+ TestSums > test_many[a b]',
  '+ TestSums > test_many[x - y]',
  's TestSums > test_waits',
  's TestSums > test_will_be',
  '+ TestSums > test_is_already',
  '- test_empty',
  '- test_setup',
]

describe('the output of runners', () => {
  test('node:test lists each test once, in its suites, as TAP and as spec', () => {
    expect(lines(printed(sample('node-spec.txt')))).toEqual(['node complete', ...nodeTests])
    expect(lines(printed(sample('node-tap.txt')))).toEqual(['tap complete', ...nodeTests])
  })

  test('vitest lists all tests with the verbose and the tree reporter', () => {
    for (const name of ['vitest-verbose.txt', 'vitest-tree.txt'])
      expect(lines(printed(sample(name)))).toEqual(['vitest complete', ...vitestSums, ...vitestWords])
  })

  test('colours make no difference', () => {
    const green = vitestSums.filter((line) => !line.startsWith('-'))
    expect(lines(printed(sample('vitest-colour.txt')))).toEqual(['vitest complete', ...green, ...vitestWords])
  })

  test('vitest lists files with the default reporter, and only the failed tests of these', () => {
    const files = ['+ test/sums.test.ts', '+ test/words.test.ts']
    expect(lines(printed(sample('vitest-default-green.txt')))).toEqual(['vitest in part', ...files])
    const failed = ['vitest in part', '- test/sums.test.ts', ...vitestSums, '+ test/words.test.ts']
    expect(lines(printed(sample('vitest-default.txt')))).toEqual(failed)
  })

  test('unittest lists all tests with -v, otherwise only failures; it always gives the number of tests', () => {
    const named = [
      '+ test_sums > Sums > test_adds',
      's test_sums > Sums > test_waits',
      '- test_sums > Sums > test_fails',
    ]
    expect(lines(printed(sample('unittest-v.txt')))).toEqual(['unittest complete', ...named])
    const between = [
      '+ test_sum > Sums > test_add',
      '- test_sum > Sums > test_each',
      's test_sum > Sums > test_later',
      '- test_sum > Sums > test_sub',
      '+ test_sum > Sums > test_warns',
    ]
    expect(lines(printed(sample('unittest-v-between.txt')))).toEqual(['unittest complete', ...between])
    const quiet = printed(sample('unittest.txt'))
    const failed = ['- test_sums > Broken > test_setup', '- test_sums > Sums > test_adds']
    expect(lines(quiet)).toEqual(['unittest in part', ...failed])
    expect(quiet?.counts).toEqual({ ran: 4, passed: 2, failed: 2, skipped: 1 })
    const none = printed('\n----\nRan 0 tests in 0.000s\n\nOK\n')
    expect(none).toMatchObject({ tests: [], complete: true, counts: { ran: 0 } })
  })

  test('jest lists all tests with --verbose, otherwise files and failures', () => {
    expect(lines(printed(sample('jest-verbose.txt')))).toEqual([
      'jest complete',
      ...['+ said', '+ slow (2 ms)', '+ sums > adds', '+ sums > adds #2', '- sums > of many > is empty']
        .concat(['s sums > of many > waits', 's sums > of many > will be'])
        .map((line) => line.replace(' ', ' test/sums.test.js > ')),
      '- test/broken.test.js',
      '+ test/words.test.js > joins',
    ])
    expect(lines(printed(sample('jest-default.txt')))).toEqual([
      'jest in part',
      '- test/sums.test.js',
      '- test/sums.test.js > sums > of many > is empty',
      '- test/broken.test.js',
      '+ test/words.test.js',
    ])
  })

  test('pytest -v lists all tests, with one worker and with many', () => {
    const file = 'tests/test_sums.py'
    const all = [...python(file, [...pythonSums, '+ test_said']), '+ tests/test_words.py > test_joins']
    const [head, ...tests] = lines(printed(sample('pytest-xdist.txt')))
    expect([head, ...tests.toSorted()]).toEqual(['pytest complete', ...all.toSorted()])
    // The reader cannot list a test whose own output is in the middle of its line.
    const some = [...python(file, pythonSums), '+ tests/test_words.py > test_joins']
    expect(lines(printed(sample('pytest-v.txt')))).toEqual(['pytest in part', ...some])
  })

  test('pytest -rA lists all executed tests; without options it lists files and failures', () => {
    const executed = pythonSums.filter((line) => !line.includes('test_waits'))
    const all = [...python('tests/test_sums.py', [...executed, '+ test_said']), '+ tests/test_words.py > test_joins']
    const [head, ...tests] = lines(printed(sample('pytest-rA.txt')))
    expect([head, ...tests.toSorted()]).toEqual(['pytest complete', ...all.toSorted()])
    expect(lines(printed(sample('pytest-default.txt')))).toEqual([
      'pytest in part',
      '- tests/test_sums.py',
      '+ tests/test_words.py',
      ...python('tests/test_sums.py', ['- test_empty', '- test_setup']),
    ])
  })

  test('go lists all tests with -v and -json, otherwise packages and failures', () => {
    const sums = ['+ TestAdds', '+ TestAdds/of_two', 's TestWaits', '- TestFails', '- TestPanics']
    const named = [...python('example.com/sums', sums), '+ example.com/sums/words > TestJoins']
    expect(lines(printed(sample('go-v.txt')))).toEqual(['go complete', ...named])
    const json = ['+ TestAdds/of_two', '+ TestAdds', 's TestWaits', '- TestFails']
    expect(lines(printed(sample('go-json.txt')))).toEqual(['go complete', ...python('example.com/sums', json)])
    expect(lines(printed(sample('go.txt')))).toEqual([
      'go in part',
      '- example.com/sums',
      '- example.com/sums > TestFails',
      '+ example.com/sums/words',
      '- example.com/sums/broken',
    ])
  })

  test('cargo distinguishes the tests of every program, and with -q lists only failures', () => {
    const unit = ['+ tests::adds', '- tests::fails', 's tests::waits', '+ tests::panics']
    expect(lines(printed(sample('cargo.txt')))).toEqual([
      'cargo complete',
      ...python('src/lib.rs > crate_a', unit),
      '+ tests/it.rs > it > whole',
      '+ src/lib.rs > crate_b > tests::adds',
      '+ doc-tests crate_a > a/src/lib.rs - add',
    ])
    expect(lines(printed(sample('cargo-q.txt')))).toEqual(['cargo in part', '- tests::fails'])
  })

  test('the tests of several runners are joined, and those of one in two packages told apart', () => {
    const twice = sample('vitest-verbose.txt').repeat(2)
    const report = printed(`${sample('node-spec.txt')}\n${twice}\n${sample('go-v.txt')}`)
    expect(report).toMatchObject({ format: 'vitest', complete: true, truncated: false })
    expect(report?.tests).toHaveLength(nodeTests.length + 2 * 9 + 6)
    expect(report?.tests.map(({ id }) => id)).toContain('test/words.test.ts > joins #2')
  })

  test('a test that two readers find in the same lines is reported once', () => {
    const both = 'ℹ tests 2\n✔ a (1ms)\n✔ b (1ms)\nTAP version 13\nok 1 - a\n1..1\n'
    expect(lines(printed(both))).toEqual(['node complete', '+ a', '+ b'])
  })

  test.each([
    ['a plan at the start', '1..2\nok 1 - a\nok 2 - b\n', '1..1\nnot ok 1 - c\n'],
    ['a plan at the end', 'ok 1 - a\nok 2 - b\n1..2\n', 'not ok 1 - c\n1..1\n'],
    ['a version', 'TAP version 13\n1..2\nok 1 - a\nok 2 - b\n', 'TAP version 13\n1..1\nnot ok 1 - c\n'],
  ])('several programs that say TAP one after the other are read with %s', (_what, first, second) => {
    expect(lines(printed(first + second))).toEqual(['tap complete', '+ a', '+ b', '- c'])
    expect(lines(printed(second + first))).toEqual(['tap complete', '- c', '+ a', '+ b'])
    expect(lines(printed(first.replace('ok 2 - b\n', '') + second))[0]).toBe('tap in part')
  })

  test('a diff in the YAML of a TAP test is not a test', () => {
    const yaml = '  ---\n  diff: |-\n    ok 1 - fake\n    1..1\n  ...\n'
    expect(lines(printed(`TAP version 13\nnot ok 1 - a\n${yaml}1..1\n`))).toEqual(['tap complete', '- a'])
  })

  test('a file of jest is named beside its tests when some are missing', () => {
    const ids = printed(sample('jest-verbose.txt').replace('✓ joins', ''))?.tests.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(['test/sums.test.js', 'test/sums.test.js > said', 'test/words.test.js']))
  })

  test('a dash in a parameter of pytest does not end the id', () => {
    const summary = '= short test summary info =\nFAILED a.py::b[x - y] - assert 1 - 2\n1 failed in 0.01s\n'
    expect(lines(printed(summary))).toEqual(['pytest complete', '- a.py > b[x - y]'])
  })

  test('a list whose count is not what the runner says is in part', () => {
    const spec = sample('node-spec.txt')
    expect(printed(spec.replace('✔ joins', 'joins'))).toMatchObject({ complete: false })
    expect(printed(`✔ added (1ms)\n${spec}`)).toMatchObject({ complete: false })
    expect(printed(sample('node-tap.txt').replace('1..6', '1..7'))).toMatchObject({ complete: false })
    expect(printed(sample('cargo.txt').replace('test whole ... ok', ''))).toMatchObject({ complete: false })
    expect(printed(sample('jest-verbose.txt').replace('✓ joins', ''))).toMatchObject({ complete: false })
  })

  test('other output is unknown', () => {
    expect(printed('')).toBeNull()
    expect(printed('ok\nPASS\n✓ built in 2s\nnot ok: 3 files\n')).toBeNull()
  })
})

describe('the message of a failed test', () => {
  const failures = (report: TestReport | null): Readonly<Record<string, string>> =>
    Object.fromEntries(report?.tests.flatMap(({ id, failure }) => (failure === undefined ? [] : [[id, failure]])) ?? [])
  const sum = 'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:'
  const equal = 'expect(received).toBe(expected) // Object.is equality\nExpected: 2\nReceived: 1'
  const left = 'assertion `left == right` failed\nleft: 1\nright: 2'
  const empty = 'sums > of many > is empty'
  test.each([
    ['node-spec.txt', { 'test/broken.test.mjs': "'test failed'", [empty]: `${sum}\n1 !== 2` }],
    ['node-tap.txt', { 'test/broken.test.mjs': 'test failed', [empty]: `${sum.slice(32)}\n1 !== 2` }],
    [
      'vitest-default.txt',
      { [`test/sums.test.ts > ${empty}`]: expect.stringMatching(/^AssertionError: expected 1 to/) },
    ],
    ['jest-verbose.txt', { 'test/broken.test.js': /^at load/, [`test/sums.test.js > ${empty}`]: equal }],
    ['jest-default.txt', { 'test/broken.test.js': /^at load/, [`test/sums.test.js > ${empty}`]: equal }],
    [
      'pytest-v.txt',
      { 'tests/test_sums.py > test_empty': 'assert 1 == 2', 'tests/test_sums.py > test_setup': /ValueError/ },
    ],
    ['unittest.txt', { 'test_sums > Broken > test_setup': 'RuntimeError', 'test_sums > Sums > test_adds': /2 != 3$/ }],
    ['go-v.txt', { 'example.com/sums > TestFails': 'sums_test.go:20: 1 is not 2' }],
    ['go.txt', { 'example.com/sums > TestFails': 'sums_test.go:20: 1 is not 2' }],
    ['go-json.txt', {}],
    ['cargo.txt', { 'src/lib.rs > crate_a > tests::fails': expect.stringContaining(left) }],
    [
      'node-junit.xml',
      {
        'test/broken.test.mjs > test > test/broken.test.mjs': 'test failed',
        [`test/sums.test.mjs > ${empty}`]: /^Expected values.*\n1 !== 2$/,
      },
    ],
    ['vitest-junit.xml', { [`test/sums.test.ts > ${empty}`]: 'expected 1 to be 2 // Object.is equality' }],
    ['jest-junit.xml', { 'sums > sums of many is empty': /^Error: expect\(received\)/ }],
    [
      'pytest-junit.xml',
      {
        'pytest > tests.test_sums > test_empty': 'assert 1 == 2',
        'pytest > tests.test_sums > test_setup': /ValueError: x/,
      },
    ],
  ] as const)('is kept with its test: %s', (name, said) => {
    const text = sample(name)
    const report = name.endsWith('.xml') ? junit(text) : printed(text)
    const wanted = Object.entries(said).map(([id, each]) => [
      id,
      each instanceof RegExp ? expect.stringMatching(each) : each,
    ])
    expect(failures(report)).toEqual(Object.fromEntries(wanted))
  })

  test('is part of the output in go -json', () => {
    const output = `${JSON.stringify({ Action: 'output', Package: 'a', Test: 'T', Output: '    a_test.go:3: no\n' })}\n`
    const events = ['run', 'fail'].map((Action) => `${JSON.stringify({ Action, Package: 'a', Test: 'T' })}\n`)
    const end = `${JSON.stringify({ Action: 'fail', Package: 'a' })}\n`
    expect(failures(printed(`${events[0]}${output}${events[1]}${end}`))).toEqual({ 'a > T': 'a_test.go:3: no' })
  })

  test('is short, of printable text, and in sum no more than is worth reading', () => {
    const { failureChars, failuresChars } = limits.testReport
    const long = `&#27;[31m${'x'.repeat(10 * failureChars)}`
    const cases = Array.from({ length: 400 }, (_, i) => `<testcase name="${i}"><failure message="${long}"/></testcase>`)
    const all = Object.values(failures(junit(`<testsuite>${cases.join('')}</testsuite>`)))
    expect(all[0]).toMatch(/^[ -~]+$/)
    expect(Math.max(...all.map((each) => each.length))).toBe(failureChars)
    expect(all.join('').length).toBeLessThan(failuresChars + failureChars)
    expect(all.length).toBeLessThan(400)
  })
})

describe('what could not be loaded', () => {
  const notLoaded = (report: TestReport | null) => report?.tests.flatMap((each) => (each.notLoaded ? [each.id] : []))

  test.each([
    ['node-spec.txt', 'test/broken.test.mjs'],
    ['node-tap.txt', 'test/broken.test.mjs'],
    ['node-junit.xml', 'test/broken.test.mjs > test > test/broken.test.mjs'],
    ['jest-verbose.txt', 'test/broken.test.js'],
    ['jest-default.txt', 'test/broken.test.js'],
    ['go.txt', 'example.com/sums/broken'],
  ])('is told from tests that failed: %s', (name, id) => {
    const report = (name.endsWith('.xml') ? junit : printed)(sample(name))
    expect(notLoaded(report)).toEqual([id])
    expect(report?.tests.filter(({ outcome }) => outcome === 'failed').length).toBeGreaterThan(1)
  })

  test('is told by vitest, pytest, unittest and newer versions of go', () => {
    const failed = ' FAIL  a.test.ts [ a.test.ts ]\nError: no\n'
    for (const listed of [' ❯ a.test.ts (0 test)\n', ''])
      expect(notLoaded(printed(` RUN  v5\n${listed}${failed}      Tests  no tests\n`))).toEqual(['a.test.ts'])
    const file = `<testcase classname="a.test.ts" name="a.test.ts"><failure message="no"/></testcase>`
    expect(notLoaded(junit(`<testsuites><testsuite name="a.test.ts">${file}</testsuite></testsuites>`))).toEqual([
      'a.test.ts',
    ])
    const collected = `<testcase classname="" name="test_a"><error message="collection failure">E no</error></testcase>`
    expect(notLoaded(junit(`<testsuite name="pytest">${collected}</testsuite>`))).toEqual(['pytest > test_a'])
    const summary = '= short test summary info =\nERROR test_a.py\n= 1 error in 0.82s =\n'
    expect(notLoaded(printed(summary))).toEqual(['test_a.py'])
    const loader = 'ERROR: test_a (unittest.loader._FailedTest.test_a)\n---\nImportError: no\n\nRan 1 test in 0.1s\n'
    expect(notLoaded(printed(loader))).toEqual(['unittest > loader > _FailedTest > test_a'])
    const inPackage = loader.replaceAll('test_a', 'tests.test_a')
    expect(notLoaded(printed(inPackage))).toEqual(['unittest > loader > _FailedTest > tests.test_a'])
    const go = [
      { Action: 'output', Package: 'm/a', Output: 'FAIL\tm/a [build failed]\n' },
      { Action: 'fail', Package: 'm/a', FailedBuild: 'm/a' },
    ]
    expect(notLoaded(printed(go.map((event) => `${JSON.stringify(event)}\n`).join('')))).toEqual(['m/a'])
  })

  test('is not a test that is called as a file might be', () => {
    expect(notLoaded(junit('<testsuite name="a"><testcase name="b.js"><failure/></testcase></testsuite>'))).toEqual([])
    expect(notLoaded(printed('TAP version 13\nnot ok 1 - Array.from\n1..1\n'))).toEqual([])
  })
})

describe('the number of tests', () => {
  test.each([
    ['vitest-default.txt', { ran: 7, passed: 6, failed: 1, skipped: 2 }],
    ['jest-default.txt', { ran: 6, passed: 5, failed: 1, skipped: 2 }],
    ['pytest-default.txt', { ran: 9, passed: 7, failed: 2, skipped: 2 }],
    ['cargo-q.txt', { ran: 6, passed: 5, failed: 1, skipped: 1 }],
    ['go.txt', undefined],
  ])('is what the runner says, where it does not name them: %s', (name, counts) => {
    expect(printed(sample(name))?.counts).toEqual(counts)
  })

  test('is all that mocha and ava say of them', () => {
    const mocha = '\n  sums\n    ✔ adds\n    1) fails\n\n  11 passing (30ms)\n  2 pending\n  1 failing\n'
    expect(printed(mocha)).toMatchObject({
      format: 'mocha',
      tests: [],
      complete: false,
      counts: { ran: 12, skipped: 2 },
    })
    expect(printed('  ✔ adds\n  ─\n\n  3 tests passed\n  1 test skipped\n')).toMatchObject({
      format: 'ava',
      counts: { passed: 3, failed: 0, skipped: 1 },
    })
  })
})

test.each([
  ['node-junit.xml', 'node'],
  ['vitest-junit.xml', 'vitest'],
  ['jest-junit.xml', 'jest'],
  ['pytest-junit.xml', 'pytest'],
  ['cargo.txt', 'cargo'],
])('a report says which runner made it: %s is of %s', (name, runner) => {
  expect((name.endsWith('.xml') ? junit : printed)(sample(name))?.runner).toBe(runner)
})

describe('JUnit files', () => {
  test('of node:test, vitest, jest-junit and pytest contain files, suites and tests', () => {
    expect(lines(junit(sample('node-junit.xml'))).slice(2, 7)).toEqual([
      '+ test/sums.test.mjs > sums > adds',
      '+ test/sums.test.mjs > sums > adds #2',
      '- test/sums.test.mjs > sums > of many > is empty',
      's test/sums.test.mjs > sums > of many > waits',
      's test/sums.test.mjs > sums > of many > will be',
    ])
    expect(lines(junit(sample('vitest-junit.xml')))).toEqual(['junit complete', ...vitestSums, ...vitestWords])
    expect(lines(junit(sample('jest-junit.xml'))).slice(0, 5)).toEqual([
      'junit complete',
      '+ sums > sums adds',
      '+ sums > sums adds #2',
      '- sums > sums of many is empty',
      's sums > sums of many waits',
    ])
    const [, ...pytest] = lines(junit(sample('pytest-junit.xml')))
    const whole = pytest.map((line) => line.replace('pytest > tests.test_sums', '').replace(/^(.) \.?(?: > )?/, '$1 '))
    expect(whole.slice(0, 9)).toEqual(pythonSums)
  })

  test.each([
    ['<failure/>', '', 'failed'],
    ['<error message="x"/>', '', 'failed'],
    ['<skipped/>', '', 'skipped'],
    ['<skipped type="todo"/><failure/>', '', 'skipped'],
    ['<flakyFailure/>', '', 'passed'],
    ['<system-out><![CDATA[<failure/>]]></system-out>', '', 'passed'],
    ['', 'status="notrun"', 'skipped'],
    ['', 'status="FAILED"', 'failed'],
    ['', 'status="run" result="completed"', 'passed'],
  ])('%s %s is a test that %s', (inside, attributes, outcome) => {
    const text = `<testsuite name="a"><testcase classname="a.B" name="b" ${attributes}>${inside}</testcase></testsuite>`
    expect(junit(text)?.tests).toMatchObject([{ id: 'a > a.B > b', outcome }])
  })

  test('win over what was printed, unless they cannot be read', () => {
    const output = sample('cargo.txt')
    expect(readReport({ junit: '<testsuites/>', output })).toEqual({
      format: 'junit',
      runner: 'cargo',
      tests: [],
      complete: true,
      truncated: false,
    })
    expect(readReport({ junit: '<testsuites>', output })?.format).toBe('cargo')
  })

  test.each([
    ['<html/>'],
    ['<testsuite><testcase name="a"></testsuite>'],
    ['<!DOCTYPE a [<!ENTITY b "c">]><testsuite><testcase name="&b;"/></testsuite>'],
    ['<testsuite>'.repeat(1_000) + '</testsuite>'.repeat(1_000)],
    [`<testsuite>${'<a/>'.repeat(limits.testReport.junitTags)}</testsuite>`],
  ])('are not trusted when they are no JUnit file, or many of one: %#', (text) => {
    expect(junit(text)).toBeNull()
  })

  test('name no entity but the five of XML and characters by number', () => {
    const name = '&lt;&#65;&#x42;&amp;lt;&b;&nbsp;&#x110000;&quot;'
    expect(junit(`<testsuite><testcase name="${name}"/></testsuite>`)?.tests[0]?.id).toBe('<AB&lt;&b;&nbsp;&#x110000;"')
  })
})

describe('ids', () => {
  const idsOf = (...names: readonly string[]): readonly string[] => {
    const cases = names.map((name) => `<testcase name="${name}"/>`).join('')
    return junit(`<testsuite>${cases}</testsuite>`)?.tests.map(({ id }) => id) ?? []
  }

  test('hold no path of the sandbox, no control character and no second reading direction', () => {
    expect(idsOf('/repo/a.ts', 'file:///repo/a.js', 'src/repo/a', 'a\u001b[1m\u0000\u202eb', '')).toEqual([
      'a.ts',
      'a.js',
      'src/repo/a',
      'a [1m b',
      '(no name)',
    ])
  })

  test('are never the same, also when a test is called as the second of another', () => {
    expect(idsOf('a', 'a #2', 'a', 'a', 'a #2')).toEqual(['a', 'a #2', 'a #3', 'a #4', 'a #2 #2'])
  })

  test('and their number are capped, which the report says', () => {
    const long = 'x'.repeat(limits.testReport.idChars)
    expect(idsOf(long, `${long}y`)).toEqual([long, `${long.slice(0, -3)} #2`])
    const many = printed(`ℹ tests 20001\n${'✔ a (1ms)\n'.repeat(limits.testReport.tests + 1)}`)
    expect(many).toMatchObject({ complete: false, truncated: true })
    expect(many?.tests).toHaveLength(limits.testReport.tests)
  })
})

describe('hostile text', () => {
  const words = [
    '✔ a (1ms)',
    '▶ a',
    'ℹ tests 1',
    '✖ a (1ms) # TODO',
    'test at a',
    'TAP version 13',
    'ok 1 - a {',
    '}',
    '1..2',
    '    # Subtest: a',
    '  ---',
    '  ...',
    ' RUN  v5',
    ' ✓ a > b 1ms',
    ' ❯ a (2 tests)',
    '   ✓ b',
    ' Tests  1 (2)',
    'PASS a.js',
    '  ✓ a (1 ms)',
    '  ● a › b',
    'Tests:       1 total',
    '=== test session starts ===',
    'a.py ..F',
    'a.py::b[c] PASSED',
    '= short test summary info =',
    'FAILED a::b - c',
    '1 passed in 0.01s',
    '=== RUN   A',
    '--- PASS: A (0.0s)',
    'ok  \ta\t0.1s',
    '{"Action":"pass","Package":"a"}',
    '{"Action":"pass",',
    '   Doc-tests a',
    'test a ... ok',
    'running 1 test',
    'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out',
  ]
  const xml = [
    '<testsuites>',
    '<testsuite name="a">',
    '</testsuite>',
    '</testsuites>',
    '<testcase name="&#1;"',
    '/>',
    '>',
  ]
  const text = (parts: readonly string[], between: string): fc.Arbitrary<string> =>
    fc
      .array(
        fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary' }), fc.constantFrom(' ', '  ', '\x1b[', '<')),
      )
      .map((all) => all.join(between))

  function sound(report: TestReport | null): void {
    const ids = report?.tests.map(({ id }) => id) ?? []
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeLessThanOrEqual(limits.testReport.tests)
    const { idChars } = limits.testReport
    const unsound = (id: string): boolean =>
      id === '' || id.length > idChars || /\p{Cc}/u.test(id) || !id.isWellFormed()
    expect(ids.filter(unsound)).toEqual([])
  }

  test('never makes a reader throw or an id that is too long, doubled or unprintable', () => {
    fc.assert(
      fc.property(fc.oneof(text(words, '\n'), text(words, '')), (output) => sound(printed(output))),
      {
        numRuns: 100,
      },
    )
    fc.assert(
      fc.property(text(xml, ''), (rest) => sound(junit(`<testsuite>${rest}</testsuite>`))),
      { numRuns: 70 },
    )
  })

  const size = 2 * 1024 ** 2
  test.each([
    ['empty lines', '\n'],
    ['escapes', '\x1b['],
    ['spaces', `${' '.repeat(3_999)}\n`],
    ['brackets of vitest', ` RUN  v5\n FAIL  ${' [ '.repeat(1_300)}\n`],
    ['digits of jest', `Tests:       ${'1'.repeat(3_900)}\n`],
    ['signs of pytest', `1 ${'= '.repeat(1_990)}x\n`],
    ['outcomes of pytest', `=== test session starts ===\na::b${' PASSED'.repeat(500)}x\n`],
    ['paths of cargo', `running 1 test\n     Running a (${'/-0'.repeat(1_300)}\n`],
    ['escapes of TAP', `TAP version 13\nok 1 - ${'\\'.repeat(3_900)}\n`],
    ['times of node:test', `ℹ tests 1\n✔ ${' (1ms) # x'.repeat(390)}\n`],
    ['a bit of all', `${words.join('\n')}\n`],
  ])('two megabytes of %s are soon read', (_what, line) => {
    const output = line.repeat(Math.ceil(size / line.length))
    const before = process.cpuUsage()
    sound(printed(output))
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1e6).toBeLessThan(2)
  })
})

test('the version of the readers differs once any of their sources differs', () => {
  const copy = mkdtempSync(join(tmpdir(), 'readers-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  cpSync(join(import.meta.dirname, '../../src/adapters/test-reports'), copy, { recursive: true })
  const versions = new Set([readersVersion(copy)])
  expect([...versions]).toEqual([createTestReports().version()])
  const names = readdirSync(copy)
  for (const name of names) {
    appendFileSync(join(copy, name), ' ')
    versions.add(readersVersion(copy))
  }
  expect(versions.size).toBe(names.length + 1)
})
