import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonSyntaxError } from '../../src/config/json-syntax.ts'
import { anyText } from '../fuzz/any-text.ts'

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
  const any = fc.oneof(
    fc.json(),
    fc.string(),
    anyText(12).map((value) => JSON.stringify(value)),
  )
  const agrees = (text: string) => (jsonSyntaxError(text) === null) === isJson(text)
  fc.assert(fc.property(nearly, agrees), { numRuns: 1000 })
  fc.assert(fc.property(any, agrees), { numRuns: 150 })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
