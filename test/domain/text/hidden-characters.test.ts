import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isShown, markedText, shownParts, withoutHidden } from '../../../src/domain/hidden-characters.ts'
import { plainText } from '../../../src/domain/plain-text.ts'
import { anyText } from '../../fuzz/any-text.ts'

const char = (point: number) => String.fromCodePoint(point)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const hidden: readonly (readonly [string, readonly number[]])[] = [
  ['controls of direction', [0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)]],
  ['what has no width', [0x200b, 0x200c, 0x200d, ...range(0x2060, 0x2065), ...range(0x206a, 0x206f), 0xfeff, 0x180e]],
  ['tags', [0xe0001, ...range(0xe0020, 0xe007f)]],
  ['variation selectors', [...range(0xfe00, 0xfe0f), ...range(0xe0100, 0xe01ef), 0x180b]],
  ['a soft hyphen, a joiner of graphemes, and fillers', [0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x3164, 0xffa0, 0x2800]],
  ['control characters', [...range(0, 8), 0xb, 0xc, ...range(0xe, 0x1f), ...range(0x7f, 0x9f), 0x2028, 0x2029]],
  ['private use', [0xe000, 0xf8ff, 0xf0000, 0x10fffd]],
  ['what is not assigned', [0x378, 0xfffe, 0xfdd0, 0x1ffff, 0xe0000, 0xfff9]],
  ['halves of surrogate pairs', [0xd800, 0xdfff]],
]

describe('hidden are', () => {
  test.each(hidden)('%s', (_, points) => {
    for (const point of points) {
      const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
      expect(markedText(`a${char(point)}b`), code).toBe(`a⟨${code}⟩b`)
      expect(shownParts(char(point)), code).toEqual([{ code, name: expect.stringMatching(/^[A-Z][A-Z -]/) }])
      expect(plainText(`a${char(point)}b`, 10), code).toBe(char(point).isWellFormed() ? 'ab' : 'a\ufffdb')
    }
  })

  test('a carriage return within a line, and joiners and selectors that nothing needs', () => {
    expect(markedText('safe\rrm')).toBe('safe⟨U+000D⟩rm')
    expect(markedText('is\u200dAdmin')).toBe('is⟨U+200D⟩Admin')
    expect(markedText('\u06cc\u200c\u200c\u0634')).toBe('\u06cc⟨U+200C⟩⟨U+200C⟩\u0634')
    expect(markedText('\u06cc\u200cs')).toBe('\u06cc⟨U+200C⟩s')
    expect(markedText('1\ufe0f2')).toBe('1⟨U+FE0F⟩2')
    expect(markedText('❤\ufe0f\ufe0f')).toBe('❤\ufe0f⟨U+FE0F⟩')
    expect(markedText('😀\u{e0101}\u{e0102}')).toBe('😀⟨U+E0101⟩⟨U+E0102⟩')
    expect(markedText('🏴\u{e0068}\u{e0069}\u{e007f}')).toBe('🏴⟨U+E0068⟩⟨U+E0069⟩⟨U+E007F⟩')
    expect(markedText('😀\u200d')).toBe('😀⟨U+200D⟩')
  })
})

test.each([
  ['words and code', 'const a = "é, ß, ñ" // 100 % → done…\n\tnext\r\n'],
  ['a family, a flag, a heart, a keycap and a skin', '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 1️⃣ #️⃣ 👍🏽 👩🏽‍💻 🏳️‍🌈 ☺︎'],
  ['Persian', 'می‌خواهم کتاب‌ها را'],
  ['Hindi, Bengali, Malayalam and Sinhala', 'क्‍ष क्‌ष  র‍্য ന്‍ ශ්‍රී'],
  ['Hebrew, Arabic, Chinese, Japanese, Korean and Thai', 'שלום مرحبا 漢字 かな 한국어 ไทย'],
  ['a variant of an ideograph and of a sign', '葛󠄀 ≨︀'],
  ['the Arabic sign of a year', '\u0601\u0661\u0662'],
  ['spaces of typography', 'a b c　d'],
])('%s are shown as they are', (_, text) => {
  expect(markedText(text)).toBe(text)
  expect(isShown(text)).toBe(true)
})

test('only hidden characters disappear from a text, and the shown text has none', () => {
  fc.assert(
    fc.property(anyText(200), (text) => {
      expect(isShown(markedText(text))).toBe(true)
      const words = shownParts(text).filter((part) => typeof part === 'string')
      expect(withoutHidden(text)).toBe(words.join(''))
    }),
  )
})
