import { expect, test } from 'vitest'
import { isTestNamed } from '../../../src/domain/verification/is-test-named.ts'

test.each([
  ['adds sums', 'The test "Adds sums" fails.', true],
  ['test/sum.test.js > sums > adds', 'Mend test/sum.test.js', true],
  ['test/sum.test.js > sums > adds twice #2', 'make "adds twice" pass', true],
  ['adds sums', 'Say new.', false],
  // A short name, or the name of a suite, is a word of any text.
  ['sums > old', 'Replace the old sums', false],
])('whether a text names the test %s: %s', (id, text, isNamed) => {
  expect(isTestNamed(id, text)).toBe(isNamed)
})
