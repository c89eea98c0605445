import { matchesGlob } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { globMatcher } from '../../../src/adapters/sandbox/runner/glob.ts'

const name = fc.stringMatching(/^[ab.]{1,3}$/).filter((text) => !text.startsWith('.'))
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
const segment = fc.oneof(
  fc.constant('**'),
  fc.constant('*'),
  fc.stringMatching(/^[ab.*?]{1,4}$/).filter((text) => !text.startsWith('.')),
  fc.constant('{a,b}*'),
  fc.constant('a{,.b}'),
  fc.constant('[ab]'),
)
const glob = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))

test('a glob matches the paths that Node matches with it', () => {
  fc.assert(
    fc.property(glob, path, (pattern, text) => {
      expect(globMatcher(pattern)(text)).toBe(matchesGlob(text, pattern))
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  ['*.ts', '.eslintrc.ts'],
  ['**', '.github/workflows/ci.yml'],
  ['src/**/x', 'src/.hidden/x'],
  ['{a,.b}/c', '.b/c'],
])('%s matches %s: a leading dot is nothing special', (pattern, text) => {
  expect(globMatcher(pattern)(text)).toBe(true)
})

test.each([
  ['braces', '{a,b}'.repeat(190)],
  ['nested braces', `${'{a,{b,'.repeat(60)}c${'}}'.repeat(60)}`],
  ['braces of many', `{${Array.from({ length: 300 }, (_, i) => `n${i}`).join(',')}}`],
  ['what no glob has', '!(a|b)*'],
])('%s without a bound are refused before anything is matched', (_, glob) => {
  expect(() => globMatcher(glob)).toThrow(expect.objectContaining({ code: 'bad_pattern' }))
})

test('a glob of stars does not look at a path again and again', () => {
  // With backtracking this would take longer than anybody waits.
  expect(globMatcher('*a'.repeat(400))(`${'a'.repeat(250)}b`)).toBe(false)
  expect(globMatcher(`${'**/a/'.repeat(200)}b`)(`${'a/'.repeat(1_500)}c`)).toBe(false)
})

test.each([
  ['[a-c]?.ts', 'b1.ts', true],
  ['[!a-c]?.ts', 'b1.ts', false],
  ['src/{a,{b,c}}/*.ts', 'src/c/x.ts', true],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'axb', false],
  ['[', '[', true],
  ['{a}', '{a}', true],
])('%s and %s: %s', (glob, path, matches) => {
  expect(globMatcher(glob)(path)).toBe(matches)
})
