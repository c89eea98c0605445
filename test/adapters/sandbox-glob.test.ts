import { matchesGlob } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { globMatcher } from '../../src/adapters/sandbox/runner/glob.ts'

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
