import { describe, expect, test } from 'vitest'
import { applyHunks } from '../../src/domain/edit/apply-hunks.ts'
import { parsePatch } from '../../src/domain/edit/parse-patch.ts'
import { limits } from '../../src/domain/limits.ts'

const wrap = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
const parse = (...lines: readonly string[]) => parsePatch(wrap(...lines))

/** The patched text, or the reason why it cannot be patched. */
function patched(text: string, ...lines: readonly string[]): string {
  const parsed = parse('*** Update File: f', ...lines)
  if (!parsed.ok) return parsed.reason
  const [file] = parsed.files
  if (file?.kind !== 'update') throw new Error('no update')
  const result = applyHunks(text, file.hunks)
  return result.ok ? result.text : result.reason
}

const python = 'class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 1\n'

describe('a patch', () => {
  test('adds, deletes, changes and moves files', () => {
    expect(
      parse('*** Add File: a', '+one', '+', '*** Delete File: b', '', '*** Update File: c', '*** Move to: d', ' x'),
    ).toEqual({
      ok: true,
      files: [
        { kind: 'add', path: 'a', lines: ['one', ''] },
        { kind: 'delete', path: 'b' },
        {
          kind: 'update',
          path: 'c',
          to: 'd',
          hunks: [{ headers: [], changes: [{ kind: 'keep', text: 'x' }], isAtEnd: false }],
        },
      ],
    })
  })

  test('knows a file by each of its names', () => {
    const lines = ['*** Update File: /repo/a', '-1', '+2', '*** Update File: ./b/../a', '-3', '+4']
    expect(parsePatch(wrap(...lines, '*** Delete File: /etc/a'))).toMatchObject({
      ok: true,
      files: [
        { path: 'a', hunks: [{}, {}] },
        { kind: 'delete', path: '/etc/a' },
      ],
    })
  })

  test('bears text around it, CRLF, and two parts about one file', () => {
    const text = `Here it is:\n\`\`\`\r\n${wrap('*** Update File: a', '-1', '+2', '*** Update File: a', '-3', '+4').replaceAll('\n', '\r\n')}\r\n\`\`\``
    const parsed = parsePatch(text)
    expect(parsed).toMatchObject({ ok: true, files: [{ path: 'a', hunks: [{}, {}] }] })
  })

  test.each([
    ['', /a patch is `\*\*\* Begin Patch`/],
    ['*** Begin Patch\n*** Delete File: a\n', /a patch is/],
    [wrap(), /names no file/],
    [wrap('--- a/f', '+++ b/f'), /^line 2, `--- a\/f`, begins no file/],
    [wrap('*** Update File:', '+x'), /^line 2, .* begins no file/],
    [wrap('*** Rename File: a'), /^line 2, .* begins no file/],
    [wrap('*** Add File: a', '+x', 'y'), /^line 4, `y`: each line of a new file begins with \+/],
    [wrap('*** Delete File: a', '-x'), /^line 3, `-x`: a file that is deleted has no lines/],
    [wrap('*** Update File: a'), /a: it changes nothing/],
    [wrap('*** Update File: a', '*** Move to:', '+x'), /names no path/],
    [wrap('*** Update File: a', '@@', ' x', 'y'), /^line 5, `y`: a line of a file begins with a space/],
    [wrap('*** Update File: a', '+x', '*** Delete File: a'), /names a twice/],
    [wrap('*** Update File: a', '*** Move to: b', '+x', '*** Add File: b', '+y'), /names b twice/],
    [wrap('*** Add File: a', '+\ud800'), /not valid Unicode/],
    [wrap(...Array.from({ length: limits.patchFiles + 1 }, (_, n) => `*** Delete File: ${n}`)), /too large/],
    [wrap('*** Update File: a', ...Array(limits.patchHunks + 1).fill('@@\n+x')), /too large/],
  ])('that is wrong is refused with the line: %#', (text, reason) => {
    expect(parsePatch(text)).toMatchObject({ ok: false, reason: expect.stringMatching(reason) })
  })
})

describe('a hunk', () => {
  test('is found by its lines and changes no other byte', () => {
    expect(patched('a\r\nb \nc', ' a', '-b', '+B', '+BB', ' c')).toBe('a\r\nB\nBB\nc')
    expect(patched('a\nb\nc', ' b', '-c', '+C', '+D')).toBe('a\nb\nC\nD')
    expect(patched('a\nb', ' b', '+c')).toBe('a\nb\nc')
    expect(patched('a\nb\n', '-a')).toBe('b\n')
  })

  test('bears other white space, and gives new lines that of the file', () => {
    expect(
      patched('if x {\n\tgo()\n}\n', ' if x {', '-    go()', '+    if y {', '+        stop()', '+    }', ' }'),
    ).toBe('if x {\n\tif y {\n\t\tstop()\n\t}\n}\n')
  })

  test('stands after its headers', () => {
    expect(patched(python, '@@ def g(self):', '-        return 1', '+        return 2')).toBe(
      python.replace(/1\n$/, '2\n'),
    )
    expect(patched(python, '@@ class A', '@@ def g', '-        return 1', '+        return 2')).toBe(
      python.replace(/1\n$/, '2\n'),
    )
    expect(patched(python, '@@ -5,2 +5,2 @@ def g(self):', '-        return 1', '+        return 2')).toBe(
      python.replace(/1\n$/, '2\n'),
    )
    expect(patched(python, '@@ def h(self):', '-        return 1', '+x')).toBe(
      'no line of the file is `@@ def h(self):` of its hunk',
    )
  })

  test('that fits several places is refused with them', () => {
    expect(patched(python, '-        return 1', '+        return 2')).toBe(
      'its hunk fits several places, at lines 3, 6: give more lines around it, or `@@` and a line above',
    )
    expect(patched('def a():\n  x\ndef a():\n  x\n', '@@ def a():', '-  x', '+  y')).toMatch(
      /several places, at lines 2, 4/,
    )
  })

  test('with the hunks beside it may fit one place only', () => {
    const change = ['@@', '-        return 1', '+        return 2']
    expect(patched(python, ...change, ...change)).toBe(python.replaceAll('1', '2'))
    expect(patched(python, '@@', ' class A:', ...change)).toMatch(/^hunk 2 fits several/)
    expect(patched(python, '@@', '-    def g(self):', '+    def h(self):', ...change)).toBe(
      python.replace('def g', 'def h').replace(/1\n$/, '2\n'),
    )
  })

  test('may share unchanged lines with the one before it', () => {
    expect(patched('a\nb\nc\n', '-a', '+A', ' b', '@@', ' b', '-c', '+C')).toBe('A\nb\nC\n')
  })

  test('keeps the order of the file', () => {
    expect(patched('a\nb\n', '-b', '+B', '@@', '-a', '+A')).toBe(
      'hunk 2 is at line 1, before the hunk that it follows: keep the order of the file',
    )
  })

  test('can be bound to the end of the file', () => {
    expect(patched('x\ny\nx\n', '-x', '+z', '*** End of File')).toBe('x\ny\nz\n')
    expect(patched('x\ny\n', '-x', '+z', '*** End of File')).toMatch(/not at the end of the file, but at line 1/)
    expect(patched('x\ny', '+z')).toBe('x\ny\nz')
    expect(patched('', '+z')).toBe('z\n')
    expect(patched(python, '@@ def g(self):', '+x')).toMatch(/has no line of the file/)
  })

  test('that is not in the file is refused with the nearest lines', () => {
    expect(patched(python, ' class A:', '     def f(this):', '-        return 1')).toBe(
      'the lines of its hunk are not in the file. The nearest match:\n1\tclass A:\n2\t    def f(self):\n3\t        return 1\nLine 2 differs. You gave:\n\t    def f(this):',
    )
    expect(patched(python, '-nothing like it')).toMatch(/nor is anything like them/)
  })
})
