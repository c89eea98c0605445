import { describe, expect, test } from 'vitest'
import { compareCounts, compareTests } from '../../../src/domain/verification/compare-tests.ts'
import type { TestReport, TestResult } from '../../../src/domain/verification/test-results.ts'
import { expectSoon } from '../expect-soon.ts'

const report = (tests: readonly (string | TestResult)[], more: Partial<TestReport> = {}): TestReport => ({
  format: 'vitest',
  complete: true,
  truncated: false,
  tests: tests.map((each) => (typeof each === 'string' ? { id: each, outcome: 'passed' } : each)),
  ...more,
})
const skipped = (id: string): TestResult => ({ id, outcome: 'skipped' })
const kinds = (base: TestReport | null, change: TestReport | null) =>
  compareTests([{ step: 'test', base, change }]).map(({ kind, file, evidence }) => [kind, file, evidence].join(' | '))

describe('the tests of a change', () => {
  test('that all run are fine, and so are new ones', () => {
    expect(kinds(report(['a.ts > x']), report(['a.ts > y', 'a.ts > x']))).toEqual([])
    expect(kinds(null, report(['a.ts > x']))).toEqual([])
    expect(kinds(report([]), null)).toEqual([])
  })

  test('that no longer run are told by file', () => {
    expect(kinds(report(['a.ts > x', 'a.ts > y', 'b.ts > z', 'lone']), report(['a.ts > x']))).toEqual([
      'tests_removed | a.ts | - a.ts > y',
      'tests_removed | b.ts | - b.ts > z',
      'tests_removed |  | - lone',
    ])
  })

  test('that moved are renamed, each to one place', () => {
    expect(kinds(report(['a.ts > x', 'b.ts > x']), report(['c.ts > x']))).toEqual([
      'tests_renamed | a.ts | - a.ts > x → c.ts > x',
      'tests_removed | b.ts | - b.ts > x',
    ])
  })

  test('that got another name in place are removed', () => {
    expect(kinds(report(['a.ts > adds']), report(['a.ts > adds numbers']))).toEqual([
      'tests_removed | a.ts | - a.ts > adds',
    ])
  })

  test('that moved and are skipped there are removed', () => {
    expect(kinds(report(['a.ts > x']), report([skipped('b.ts > x')]))).toEqual(['tests_removed | a.ts | - a.ts > x'])
  })

  test('that are skipped now are told, unless they were', () => {
    const base = report(['a.ts > x', skipped('a.ts > y')])
    expect(kinds(base, report([skipped('a.ts > x'), skipped('a.ts > y')]))).toEqual([
      'tests_skipped | a.ts | - a.ts > x',
    ])
    expect(kinds(base, report(['a.ts > x']))).toEqual([])
  })

  test('that failed before and are gone are removed, too', () => {
    expect(kinds(report([{ id: 'a', outcome: 'failed' }, 'b']), report(['b']))).toEqual(['tests_removed |  | - a'])
  })

  test('that are no longer named are unread', () => {
    for (const change of [null, report([]), report(['a.ts > x'], { complete: false })])
      expect(kinds(report(['a.ts > x']), change)).toEqual(['tests_unread |  | - a.ts > x'])
  })

  test('that failed, and pass, are not named by a runner that names only failures', () => {
    const failed: TestResult = { id: 'a.ts > x', outcome: 'failed' }
    const base = report([failed], { complete: false, counts: { passed: 1, failed: 1, skipped: 0 } })
    expect(kinds(base, counted(2))).toEqual([])
    expect(kinds(base, report([], { complete: false }))).toEqual(['tests_unread |  | - a.ts > x'])
    expect(kinds(report([failed]), counted(2))).toEqual(['tests_unread |  | - a.ts > x'])
    expect(kinds(report([{ ...failed, whole: true }], { complete: false }), counted(2))).toHaveLength(1)
    expect(fewer(base, counted(1))).toEqual(['Fewer tests ran than on the base commit: 1 instead of 2, in step test.'])
  })

  test('are not missed where a file stood for them', () => {
    const base = report(['a.ts', 'b.ts', 'c.ts > x'], { complete: false })
    expect(kinds(base, report(['a.ts > x', 'a.ts > y', 'c.ts > x']))).toEqual(['tests_removed |  | - b.ts'])
    expect(kinds(base, report(['a.ts'], { complete: false }))).toEqual([])
  })

  test('that could not be loaded on the base may become any, or none', () => {
    const broken: TestResult = { id: 'a.ts', outcome: 'failed', notLoaded: true }
    for (const change of [report(['a.ts > x']), report(['b.ts']), report(['a.ts'], { complete: false })])
      expect(kinds(report([broken]), change)).toEqual([])
    expect(kinds(report([broken, 'b.ts > y']), report(['a.ts > x']))).toEqual(['tests_removed | b.ts | - b.ts > y'])
  })

  const counted = (passed: number, more: Partial<TestReport> = {}) =>
    report([], { complete: false, counts: { passed, failed: 0, skipped: 0 }, ...more })
  const fewer = (base: TestReport | null, change: TestReport | null) =>
    compareCounts([{ step: 'test', base, change }]).map(({ claim }) => claim)

  test('may be named by their files alone when all is well, as long as no fewer ran', () => {
    const base = report(['a.ts > x', { id: 'a.ts > y', outcome: 'failed' }])
    const green = (passed: number) => counted(passed, { tests: [{ id: 'a.ts', outcome: 'passed' }] })
    expect([kinds(base, green(2)), fewer(base, green(2))]).toEqual([[], []])
    expect([kinds(base, green(1)), fewer(base, green(1))]).toEqual([
      [],
      ['Fewer tests ran than on the base commit: 1 instead of 2, in step test.'],
    ])
  })

  test('that are only counted may not become fewer, nor be counted no more', () => {
    expect([kinds(counted(3), counted(4)), fewer(counted(3), counted(4))]).toEqual([[], []])
    expect(fewer(counted(3), counted(2))).toHaveLength(1)
    expect(kinds(counted(3), null)).toEqual(['tests_unread |  | '])
  })

  test('have the same identity in whichever order they are told', () => {
    const [one] = compareTests([{ step: 'test', base: report(['a', 'b', 'c']), change: report(['c']) }])
    const [other] = compareTests([{ step: 'test', base: report(['b', 'c', 'a']), change: report(['c']) }])
    expect(one?.identity).toEqual(other?.identity)
  })

  test('are compared soon, however many there are of one name', () => {
    const many = (folder: string) => report(Array.from({ length: 40_000 }, (_, n) => `${folder}/${n}.ts > x`))
    const [base, change] = [many('a'), many('b')]
    expectSoon(() => kinds(base, change))
  })
})
