import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { declaresRefactor, filesOutsidePlan, isTestFile, type Plan } from '../../src/domain/story/plan.ts'
import { expectSoon } from './expect-soon.ts'

const plan = (files: string[], tests: string[] = []): Plan => ({
  behaviour_change: 'b',
  acceptance_criteria: ['a'],
  non_goals: [],
  slices: ['s'],
  files,
  tests,
})

describe('files outside the plan', () => {
  test('are those that it names neither as files nor as tests', () => {
    expect(
      filesOutsidePlan(['src/a.ts', 'test/a.test.ts', 'src/b.ts'], plan(['src/a.ts'], ['test/a.test.ts'])),
    ).toEqual(['src/b.ts'])
  })

  test.each([
    ['./src/a.ts', 'src/a.ts'],
    ['src/a.ts:12-30', 'src/a.ts'],
    ['src/a.ts#open', 'src/a.ts'],
    ['src', 'src/deep/a.ts'],
    ['src/', 'src/a.ts'],
    ['src/*.ts', 'src/a.ts'],
    ['src/**', 'src/deep/a.ts'],
    ['src/lane*.ts', 'src/lane-one.ts'],
    ['docs/c#.md', 'docs/c#.md'],
  ])('a plan that says %s means %s', (entry, file) => {
    expect(filesOutsidePlan([file], plan([entry]))).toEqual([])
  })

  test.each([
    ['src/a', 'src/a.ts'],
    ['src', 'srcs/a.ts'],
    ['a.ts', 'src/a.ts'],
    ['src/lane*.ts', 'test/lane-one.ts'],
    ['', 'a.ts'],
  ])('a plan that says %s does not mean %s', (entry, file) => {
    expect(filesOutsidePlan([file], plan([entry]))).toEqual([file])
  })

  test('never name a file that the plan names, whatever characters it has', () => {
    const path = fc.array(fc.constantFrom('a', '.', '#', ':', '*', '(', '-', '/b', ' '), { minLength: 1 })
    fc.assert(
      fc.property(
        path.map((parts) => `x${parts.join('')}`),
        (file) => {
          expect(filesOutsidePlan([file], plan([file]))).toEqual([])
        },
      ),
    )
  })
})

describe('a test file', () => {
  test.each([
    'test/lane.ts',
    'src/__tests__/lane.ts',
    'spec/lane_spec.rb',
    'lane.test.ts',
    'lane.spec.js',
    'lane-test.el',
    'lane_test.go',
    'tests/lane.rs',
    'src/lane/tests.rs',
    'app/tests.py',
    'pkg/test_lane.py',
    'test/test_lane.rb',
    'src/test/java/LaneTest.java',
    'Dock.Tests/LaneTests.cs',
    'LaneSpec.scala',
    'cypress/lane.cy.ts',
    'e2e/lane.ts',
    'test/lane.bats',
    'app/src/androidTest/kotlin/Lane.kt',
    'LaneIT.java',
  ])('is %s', (path) => {
    expect(isTestFile(path)).toBe(true)
  })

  test.each(['src/latest.ts', 'src/contest.py', 'src/attestation/a.ts', 'Greatest.java', 'testing.md', 'README.md'])(
    'is not %s',
    (path) => {
      expect(isTestFile(path)).toBe(false)
    },
  )
})

describe('a plan', () => {
  const declares = (behaviour_change: string) => declaresRefactor({ ...plan([]), behaviour_change })

  test.each([
    'None',
    'none.',
    'No change',
    'No behaviour change.',
    'No behavior changes',
    'Nothing changes.',
    'N/A',
    'No functional change; the parser is split in two.',
    'None - internal clean-up',
    'No user-visible changes',
    'Pure refactor.',
    'Refactoring only',
    'refactor: move the parser',
    'There is no change in behaviour.',
    'Behaviour stays the same.',
    'A pure refactoring.',
  ])('that says %j declares a change that no test can tell', (said) => {
    expect(declares(said)).toBe(true)
  })

  test.each([
    'None of the callers may see the old format any more',
    'Nothing is left as it was',
    '',
    'No longer throws when lines change',
    'Refactor the parser and also fix the bug',
    'No change to the API, but it now rejects null',
    'No change is needed to callers; adds retries',
    'Refactors login so that it locks accounts',
    'No. It changes',
    'The parser reads numbers',
    'none, except that errors are new',
    'No behaviour change. Also adds a cache.',
    'No user can log in without a password',
  ])('that says %j does not', (said) => {
    expect(declares(said)).toBe(false)
  })

  test('is read soon, whatever it says', () => {
    for (const part of ['no ', 'no change in the ', 'a ', '.'])
      expectSoon(() => declares(part.repeat(262_144 / part.length)))
  })
})
