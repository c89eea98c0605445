import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonSyntaxError } from '../../src/config/json-syntax.ts'

test.each([
  ['{\n  "a": 1,\n}', 3, 1],
  ['{ "a": x }', 1, 8],
  ['{\n  // why\n}', 2, 3],
  ['{ "a": "x\n" }', 1, 8],
  ['{ "a" 1 }', 1, 7],
  ['[1 2]', 1, 4],
  ['{}\n{}', 2, 1],
  ['{ "a": [1, ] }', 1, 12],
  ['{ "a": {] }', 1, 9],
  ['{\n', 2, 1],
  ['', 1, 1],
])('%j stops being JSON at line %i, column %i', (text, line, column) => {
  expect(jsonSyntaxError(text)).toEqual({ line, column })
})

test('agrees with JSON.parse on what is JSON', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u0041"',
    '1',
    '-0.5e3',
    '01',
    'null',
    'tru',
    ' ',
    '\n',
  )
  const nearly = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(''))
  const text = fc.oneof(
    fc.json(),
    nearly,
    fc.string(),
    fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(text, (value) => {
      expect(jsonSyntaxError(value) === null).toBe(isJson(value))
    }),
    { numRuns: 2000 },
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
