import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyEdits } from '../../src/domain/edit/edit-file.ts'

const edit = (text: string, old: string, put: string, all = false) => applyEdits(text, [{ old, new: put, all }])
const python = 'class A:\n    def f(self):\n        a = 1\n        return a\n\n    def g(self):\n        return 2\n'
const tabs = 'class A {\n\tf() {\n\t\tconst a = 1\n\t\treturn a\n\t}\n}\n'

const name = fc.stringMatching(/^[a-z]{1,4}$/)
const line = fc.tuple(fc.constantFrom('', '  ', '    ', '\t', '\t\t'), name, fc.constantFrom('', '', ' ', '\t'))
const ended = line.chain(([indent, word, space]) =>
  fc.constantFrom('\n', '\r\n').map((ending) => ({ indent, word, text: `${indent}${word}${space}`, ending })),
)
const joined = (lines: readonly { readonly text: string; readonly ending: string }[]) =>
  lines.map(({ text, ending }) => text + ending).join('')

describe('an edit whose white space is not that of the file', () => {
  test('changes the lines that it names and leaves every other byte, in any text', () => {
    const given = fc.record({
      before: fc.array(ended, { maxLength: 6 }),
      named: fc.array(ended, { minLength: 1, maxLength: 4 }),
      after: fc.array(ended, { maxLength: 6 }),
      shift: fc.constantFrom('', ' ', '    ', '\t'),
    })
    fc.assert(
      fc.property(given, ({ before, named, after, shift }) => {
        const old = ['BEGIN', ...named.map(({ indent, word }) => `${indent}${word}`), 'END']
        const put = [...old.slice(0, -1), 'NEW', 'END']
        const inFile = ['BEGIN', ...named.map(({ text }) => text), 'END'].map((text, i) => ({
          text: `${shift}${text}`,
          ending: named[i - 1]?.ending ?? '\n',
        }))
        fc.pre(shift !== '' || named.some(({ indent, word, text }) => text !== `${indent}${word}`))
        const text = joined([...before, ...inFile, ...after])
        const added = { text: `${shift}NEW`, ending: '\n' }
        const wanted = joined([...before, ...inFile.slice(0, -1), added, ...inFile.slice(-1), ...after])
        expect(edit(text, old.join('\n'), put.join('\n'))).toMatchObject({ ok: true, text: wanted, replaced: 1 })
      }),
      { numRuns: 500 },
    )
  })

  test('keeps white space at the end of lines that stay', () => {
    expect(edit('a  \nb\t\r\nc \n', 'a\nb\nc', 'a\nB\nc')).toEqual({
      ok: true,
      text: 'a  \nB\r\nc \n',
      replaced: 1,
      ignored: ['white space at the end of lines'],
    })
    expect(edit('a\nb\n', 'a \nb', 'a \nb \nc')).toMatchObject({ ok: true, text: 'a\nb \nc\n' })
  })

  test('gives new lines the indentation of the file', () => {
    const [less, more] = ['def f(self):\n    a = 1\n', '      def f(self):\n          a = 1\n']
    for (const old of [less, more]) {
      const result = edit(
        python,
        old,
        old.replace('a = 1', 'a = 1\n').replace('\n\n', `\n${/^ */.exec(old)}    b = 2\n`),
      )
      expect(result).toMatchObject({ ok: true, text: python.replace('a = 1\n', 'a = 1\n        b = 2\n') })
      expect(result).toMatchObject({ ignored: ['indentation'] })
    }
  })

  test('takes spaces for tabs and tabs for spaces', () => {
    const old = '    f() {\n        const a = 1\n        return a\n'
    expect(edit(tabs, old, '    f() {\n        if (x) {\n            return 1\n        }\n')).toMatchObject({
      ok: true,
      text: 'class A {\n\tf() {\n\t\tif (x) {\n\t\t\treturn 1\n\t\t}\n\t}\n}\n',
    })
    expect(edit(python, '\tdef g(self):\n\t\treturn 2', '\tdef g(self):\n\t\tif x:\n\t\t\treturn 3')).toMatchObject({
      ok: true,
      text: python.replace('        return 2', '        if x:\n            return 3'),
    })
  })

  test('is refused, with the lines, when it does not show how new lines are indented', () => {
    expect(edit('\t\ta b\n', 'a b ', 'if (a) {\n    b\n}')).toEqual({
      ok: false,
      reason:
        'the file has `old` with another indentation, which does not show how to indent `new`. Write both with the indentation of the file:\n1\t\t\ta b',
    })
  })

  test('is refused, with the places, when it fits several', () => {
    const text = 'if a:\n    go()\nif b:\n    go()\n'
    expect(edit(text, '  go()  ', '  stop()')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('without its indentation it is not unique: it occurs at lines 2, 4;'),
    })
    expect(edit(text, '  go()  ', '  stop()', true)).toMatchObject({ ok: true, text: text.replaceAll('go', 'stop') })
  })

  test('is not made where the lines are indented against each other in another way', () => {
    expect(edit('if a:\n    b()\nc()\n', 'if a:\n    b()\n    c()', 'x')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('The nearest match:\n1\tif a:\n2\t    b()\n3\tc()'),
    })
  })

  test('is not looked for where the text itself is found', () => {
    expect(edit('  a\na\n', '  a', 'b')).toMatchObject({ ok: true, text: 'b\na\n', ignored: [] })
  })

  test('keeps a text without a final newline one, and a byte order mark', () => {
    expect(edit('\uFEFFa \nb', 'a\nb', 'a\nb\nc')).toMatchObject({ ok: true, text: '\uFEFFa \nb\nc' })
    expect(edit('\uFEFFa \nb', 'a\nb', 'c\nd')).toMatchObject({ ok: true, text: '\uFEFFc\nd' })
    expect(edit('a \nb', 'a\nb\n', '')).toMatchObject({ ok: true, text: '' })
  })

  test('says so when it has the numbers of the lines', () => {
    expect(edit('a\nb\n', '1\ta\n2\tb', 'x')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('numbers out'),
    })
  })
})

describe('several edits', () => {
  const text = 'one\ntwo\nthree\n'
  const edits = (...pairs: readonly (readonly [string, string])[]) =>
    applyEdits(
      text,
      pairs.map(([old, put]) => ({ old, new: put, all: false })),
    )

  test('are each found in the text as it was, in any order', () => {
    expect(edits(['three', 'two'], ['two', 'three'])).toMatchObject({
      ok: true,
      text: 'one\nthree\ntwo\n',
      replaced: 2,
    })
  })

  test('are made together or not at all', () => {
    expect(edits(['one', '1'], ['four', '4'])).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^no edit was made\. Edit 2: `old` is not in the file/),
    })
  })

  test('are refused when two change the same text', () => {
    expect(edits(['one\ntwo', 'x'], ['two\nthree', 'y'])).toEqual({
      ok: false,
      reason: 'no edit was made. Edit 2: it changes line 2, as edit 1 does: make them one',
    })
  })
})
