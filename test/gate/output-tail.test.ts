import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOutputTail } from '../../src/gate/output-tail.ts'

function tailOf(chunks: readonly Uint8Array[], { bytes = 64, lines = 5 } = {}): string {
  const tail = createOutputTail(bytes, lines)
  for (const chunk of chunks) tail.push(chunk)
  return tail.text()
}

const text = (...parts: string[]) => tailOf(parts.map((part) => Buffer.from(part)))

/** The end of the whole output, cut by a simple implementation. */
function naive(whole: string, bytes: number, lines: number): string {
  const size = Buffer.byteLength(whole)
  let kept = whole
  while (Buffer.byteLength(kept) > bytes) kept = kept.replace(/^./su, '')
  const marked = size > bytes ? `…${kept}` : kept
  return marked.replace(/\n$/, '').split('\n').slice(-lines).join('\n')
}

/** The bytes in chunks, also split within characters. */
function chunked(whole: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  return at.slice(1).map((end, i) => whole.subarray(at[i], end))
}

const words = fc.array(fc.constantFrom('a', 'bc', '\n', '\t', 'é', '→', '🚢', ' ', '\n\n'), { maxLength: 200 })

describe('the tail of an output', () => {
  test('is the last lines of the whole, however it came in and whatever is cut', () => {
    fc.assert(
      fc.property(
        words,
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.integer({ min: 4, max: 100 }),
        fc.integer({ min: 1, max: 8 }),
        (parts, cuts, bytes, lines) => {
          const whole = parts.join('')
          expect(tailOf(chunked(Buffer.from(whole), cuts), { bytes, lines })).toBe(naive(whole, bytes, lines))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('never has a broken character that the output did not have', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 4, max: 40 }), (parts, bytes) => {
        expect(tailOf([Buffer.from(parts.join(''))], { bytes })).not.toContain('\ufffd')
      }),
      { numRuns: 1_000 },
    )
  })

  test('of any bytes at all is text without a control character, and no longer than its bytes and the mark', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), (chunks) => {
        const shown = tailOf(chunks)
        expect(shown).not.toMatch(/[^\P{Cc}\t\n\r]/u)
        expect(shown.length).toBeLessThanOrEqual(65)
      }),
      { numRuns: 2_000 },
    )
  })

  test('has no sequence that a terminal would obey, not even one that appears when another is taken out', () => {
    expect(text('\x1b[31mred\x1b[0m')).toBe('red')
    expect(text('\x1b\x1b[31m[2Jcleared')).toBe('[2Jcleared')
    expect(text('\x1b]52;c;aGk=\x07clipboard')).toBe('clipboard')
    expect(text('rub\b\b\bout\0 bell\x07')).toBe('rubout bell')
    expect(stripVTControlCharacters('\x1b\x1b[31m[2J')).toContain('\x1b')
  })

  test('ends lines as Unix does', () => {
    expect(text('one\r\ntwo\r\n')).toBe('one\ntwo')
  })

  test('keeps empty lines and takes away only the last newline', () => {
    expect(text('a\n\n\n')).toBe('a\n\n')
    expect(text('')).toBe('')
    expect(text('\n')).toBe('')
  })

  test('marks a first line whose start is no longer known, and only such a one', () => {
    expect(tailOf([Buffer.from(`${'x'.repeat(100)}\nlast\n`)], { bytes: 10 })).toBe('…xxxx\nlast')
    expect(tailOf([Buffer.from(`${'x'.repeat(100)}\na\nb\n`)], { bytes: 10, lines: 2 })).toBe('a\nb')
    expect(tailOf([Buffer.from('0123456789')], { bytes: 10 })).toBe('0123456789')
  })

  test('keeps the end of one endless line', () => {
    const chunks = Array.from({ length: 1_000 }, () => Buffer.from('abc'))
    expect(tailOf([...chunks, Buffer.from('the end')], { bytes: 13 })).toBe('…abcabcthe end')
  })
})
