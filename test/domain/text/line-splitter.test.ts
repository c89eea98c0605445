import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineSplitter } from '../../../src/domain/line-splitter.ts'

function split(parts: readonly string[], maxChars = 1_000) {
  const lines: string[] = []
  let overflows = 0
  const take = lineSplitter({
    maxChars,
    onLine: (line) => lines.push(line),
    onOverflow: () => {
      overflows += 1
    },
  })
  for (const part of parts) take(part)
  return { lines, overflows }
}

test('the lines are those of the whole text, wherever it was cut', () => {
  const part = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u2028', 'é', '"'), maxLength: 8 })
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(split(parts).lines).toEqual(parts.join('').split('\n').slice(0, -1))
    }),
  )
})

test('a line that is too long is reported once and skipped, and the next one is read', () => {
  expect(split(['abc', 'def', 'ghi\nok\n'], 5)).toEqual({ lines: ['ok'], overflows: 1 })
})
