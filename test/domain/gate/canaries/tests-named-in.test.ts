import { expect, test } from 'vitest'
import { ranIn } from '../../../../src/domain/gate/canaries/tests-named-in.ts'
import type { TestReport } from '../../../../src/domain/verification/test-results.ts'

const report = (format: TestReport['format'], ...ids: readonly string[]): TestReport => ({
  format,
  complete: true,
  truncated: false,
  tests: ids.map((id) => ({ id, outcome: 'passed' })),
})

test.each([
  ['a runner that names files', report('tap', 'tests/generated.js'), 'tests/generated.js', ''],
  ['a runner that names a file and its tests', report('pytest', 'tests/test_a.py > test_b'), 'tests/test_a.py', ''],
  ['a runner that names a test', report('tap', 'adds'), 'test/add.test.js', "test('adds', () => {})"],
  ['a runner that names suite and test', report('tap', 'sums add up'), 'test/add.test.js', "it('add up', () => {})"],
] as const)('a file has run where %s says so', (_, said, path, text) => {
  expect(ranIn(said)({ path, text })).toBe(true)
  expect(ranIn(said)({ path: 'test/other.test.js', text: "test('other', () => {})" })).toBe(false)
})

test('a file has not run where its test has failed', () => {
  const failed: TestReport = { ...report('tap'), tests: [{ id: 'adds', outcome: 'failed' }] }
  expect(ranIn(failed)({ path: 'test/add.test.js', text: "test('adds', () => {})" })).toBe(false)
})
