import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inertBlock, inertWords } from '../../src/app/text/inert-markdown.ts'

const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('```', '````', '`', '~~~', '\n', '\r', '\u2028', '|', '@all', '/merge', '<b>', ' '),
      fc.constant('word '.repeat(40)),
    ),
  )
  .map((parts) => parts.join(''))

test('no line of a text ends the block of code that it stands in', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const [opening = '', ...lines] = inertBlock(text).split('\n')
      const [fence = ''] = /^`{3,}/.exec(opening) ?? []
      const inner = lines.slice(0, -1)
      expect(lines.at(-1)).toBe(fence)
      expect(inner.filter((line) => line.includes(fence) || /[\r\u2028\u2029\u0085]/.test(line))).toEqual([])
    }),
  )
})

test('removing a fence from a text leaves none that is longer than the one around it', () => {
  expect(inertBlock('`\u0007`\u202e`\n@all\n``\u0000``')).toBe('`````text\n```\n@all\n````\n`````')
})

test('a few words stay on their line, in their cell and in their code', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const words = inertWords(text)
      const [mark = ''] = /^`*/.exec(words) ?? []
      const inner = words.slice(mark.length, words.length - mark.length)
      expect(words).not.toMatch(/[\n\r|]/)
      expect([...inner.matchAll(/`+/g)].some(([run]) => run.length === mark.length)).toBe(false)
    }),
  )
})

test('a long line is broken between its words, and loses none', () => {
  const text = Array.from({ length: 100 }, (_, i) => `word${i}`).join(' ')
  const lines = inertBlock(text).split('\n').slice(1, -1)
  expect(lines.join(' ')).toBe(text)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
})
