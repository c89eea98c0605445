import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseConfig } from '../../src/config/parse-config.ts'

function placeIn(text: string): readonly [line: number, column: number] | null {
  try {
    parseConfig(z.unknown(), { text, file: 'config.json' })
    return null
  } catch (error) {
    const [, line, column] =
      /^config\.json: line (\d+), column (\d+): this is not JSON$/.exec(`${(error as Error).message}`) ?? []
    return [Number(line), Number(column)]
  }
}

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
  ['\uFEFF{ "a": 01 }', 1, 9],
])('%j stops being JSON at line %i, column %i', (text, line, column) => {
  expect(placeIn(text)).toEqual([line, column])
})

test('a text that is not JSON is refused at a place that it has, and JSON is never refused', () => {
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
  fc.assert(
    fc.property(fc.oneof(nearly, fc.json(), fc.string()), (text) => {
      const place = placeIn(text)
      if (place === null || isJson(text)) return place === null && isJson(text)
      const [line, column] = place
      const before = text.replace(/^\uFEFF/, '').split('\n')[line - 1]
      return before !== undefined && column >= 1 && column <= before.length + 1
    }),
    { numRuns: 500 },
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return true
  } catch {
    return false
  }
}
