import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyEdits } from '../../src/domain/edit/edit-file.ts'

/** The result of one edit; checks that only the file itself was written. */
function edit(text: string, old: string, replacement: string, all = false) {
  const result = applyEdits(text, [{ old, new: replacement, all }])
  if (!result.ok) return result
  const { ignored, ...exact } = result
  return ignored.length === 0 ? exact : result
}

/**
 * Words with all special characters of a regular expression or of `String.replace`, and letters
 * outside ASCII.
 */
const word = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      '.',
      '*',
      '$&',
      '$1',
      '$$',
      '\\',
      '[',
      ')',
      '^',
      '|',
      '?',
      '-',
      '/',
      ' ',
      '\t',
      'é',
      '🚢',
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))
const ending = fc.constantFrom('\n', '\r\n')
/** A text of lines with mixed endings, with or without a byte order mark and a final newline. */
const mixed = fc
  .tuple(fc.constantFrom('', '\uFEFF'), fc.array(fc.tuple(word, ending), { maxLength: 8 }), word)
  .map(([mark, lines, last]) => mark + lines.map(([text, end]) => text + end).join('') + last)

describe('an edit', () => {
  test('changes what it names and not one byte more, in any text', () => {
    fc.assert(
      fc.property(mixed, mixed, fc.array(word, { minLength: 1, maxLength: 3 }), (before, after, added) => {
        const old = '«old\nmiddle»'
        const given = added.join('\n')
        for (const inText of ['«old\nmiddle»', '«old\r\nmiddle»']) {
          const result = edit(before + inText + after, old, given)
          const put = inText.includes('\r\n') ? given.replaceAll('\n', '\r\n') : given
          expect(result).toEqual({ ok: true, text: before + put + after, replaced: 1 })
        }
      }),
      { numRuns: 300 },
    )
  })

  test('finds any piece of a text, however its line endings are written, and keeps the rest', () => {
    const piece = fc.tuple(mixed, fc.nat(), fc.nat(), word).map(([text, a, b, put]) => {
      const units = [...text.replaceAll('\r\n', '\n')]
      const [from, to] = [a % (units.length + 1), b % (units.length + 1)].sort((x, y) => x - y)
      return { text, old: units.slice(from, to).join(''), put: `«${put}»` }
    })
    fc.assert(
      fc.property(piece, ({ text, old, put }) => {
        fc.pre(old !== '')
        const plain = text.replaceAll('\r\n', '\n')
        const places = plain.split(old).length - 1
        for (const written of [old, old.replaceAll('\n', '\r\n')]) {
          const one = edit(text, written, put)
          expect(one.ok).toBe(plain.indexOf(old) === plain.lastIndexOf(old))
          const all = edit(text, written, put, true)
          if (!all.ok) throw new Error(all.reason)
          expect(all.replaced).toBe(places)
          expect(all.text.replaceAll('\r\n', '\n')).toBe(plain.replaceAll(old, () => put))
          // Line endings outside of the replaced parts are unchanged.
          expect(all.text.split(put).every((part) => text.includes(part))).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('takes `new` literally', () => {
    expect(edit('a b c', 'b', "$& $1 $$ $` $'")).toEqual({ ok: true, text: "a $& $1 $$ $` $' c", replaced: 1 })
  })

  test('takes `old` literally', () => {
    expect(edit('x.y xzy', 'x.y', 'q')).toEqual({ ok: true, text: 'q xzy', replaced: 1 })
    expect(edit('f(a|b)[0]', '(a|b)[0]', '()')).toEqual({ ok: true, text: 'f()', replaced: 1 })
  })

  test('of all places gives each one the line ending that it had', () => {
    expect(edit('a\nb\n--\na\r\nb\r\n', 'a\nb', 'x\ny', true)).toEqual({
      ok: true,
      text: 'x\ny\n--\nx\r\ny\r\n',
      replaced: 2,
    })
  })

  test('puts new lines into a file of CRLF with CRLF, though `old` had none', () => {
    expect(edit('one\r\ntwo\r\n', 'two', 'two\nthree')).toEqual({
      ok: true,
      text: 'one\r\ntwo\r\nthree\r\n',
      replaced: 1,
    })
  })

  test('never takes a line ending apart', () => {
    expect(edit('a\r\nb', 'a\r', 'x').ok).toBe(false)
    expect(edit('a\r\nb', '\nb', '\nc')).toEqual({ ok: true, text: 'a\r\nc', replaced: 1 })
  })

  test('never takes a character apart', () => {
    expect(edit('🚢', '🚢'.slice(1), 'x')).toMatchObject({ ok: false, reason: expect.stringContaining('Unicode') })
    expect(edit('x', 'x', '🚢'.slice(0, 1))).toMatchObject({ ok: false, reason: expect.stringContaining('Unicode') })
  })

  test('keeps a byte order mark and a missing final newline', () => {
    expect(edit('\uFEFFone\ntwo', 'two', '2')).toEqual({ ok: true, text: '\uFEFFone\n2', replaced: 1 })
  })

  test('is refused when `old` is empty or is `new` already', () => {
    expect(edit('a', '', 'b')).toMatchObject({ ok: false, reason: expect.stringContaining('empty') })
    expect(edit('a\r\nb', 'a\r\nb', 'a\nb')).toMatchObject({ ok: false, reason: expect.stringContaining('the same') })
  })

  test('is refused with the lines when `old` is not unique', () => {
    expect(edit('a\nb\na\nb\na', 'a', 'x')).toMatchObject({ ok: false, reason: expect.stringContaining('1, 3, 5;') })
    expect(edit('a\n'.repeat(50), 'a', 'x')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('19, 20 and 30 more places'),
    })
  })

  test('is refused with the nearest match when `old` is missing', () => {
    const text = 'function open() {}\n\n  function close(door) {\n    lock(door)\n  }\n'
    const result = edit(text, 'function close(gate) {\n  lock(door)\n}', 'x')
    expect(result).toEqual({
      ok: false,
      reason:
        '`old` is not in the file. The nearest match:\n3\t  function close(door) {\n4\t    lock(door)\n5\t  }\nLine 3 differs. You gave:\n\tfunction close(gate) {',
    })
  })

  test('is refused without a nearest match when nothing is like it', () => {
    expect(edit('one two three', 'vier', 'x')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('nor is anything like it'),
    })
  })

  test('of a large file ends soon, for any `old`', () => {
    const large = 'let a = 1 + b\n'.repeat(70_000)
    const started = performance.now()
    expect(edit(large, 'let c = 1\n'.repeat(100_000), 'x').ok).toBe(false)
    expect(edit(large, 'a', 'x').ok).toBe(false)
    expect(edit(large, large, 'x')).toEqual({ ok: true, text: 'x', replaced: 1 })
    expect(performance.now() - started).toBeLessThan(60_000)
  })
})

test('places that overlap are several places', () => {
  const lines = 'one\nsame\nsame\nsame\n'
  const edit = { old: 'same\nsame\n', new: 'other\n', all: false }
  const reason = expect.stringContaining('it occurs at lines 2, 3;')
  expect(applyEdits(lines, [edit])).toEqual({ ok: false, reason })
  expect(applyEdits(lines.replaceAll('\n', '\r\n'), [edit])).toEqual({ ok: false, reason })
  expect(applyEdits(lines, [{ ...edit, all: true }])).toMatchObject({ text: 'one\nother\nsame\n', replaced: 1 })
})
