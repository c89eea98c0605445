import { describe, expect, test } from 'vitest'
import { disguisesIn } from '../../../src/domain/gate/disguises.ts'

const found = (path: string, after: string, before: string | null = null, others: readonly string[] = []) =>
  disguisesIn({ path, before, after, isAdded: () => true, others: new Set(others) })

describe('text that reads as something else than it is', () => {
  test.each([
    ['a.js', 'f()\n/*\u202e } \u2066if (isAdmin)\u2069 \u2066 begin */', 2, '/*\\u202e } \\u2066if (isAdmin)\\u2069'],
    ['a.py', 'if level != "user\u202e \u2066# only admins\u2069 \u2066":', 1, '"user\\u202e \\u2066# only'],
    ['a.js', 'const is\u200bAdmin = true', 1, 'is\\u200bAdmin'],
    ['a.js', 'const { timeout,\u3164} = query', 1, 'timeout,\\u3164}'],
    ['a.go', 'x := "a\u00adb"', 1, '"a\\u00adb"'],
    ['a.rs', 'let a\u2060b = 1;', 1, 'a\\u2060b'],
    ['AGENTS.md', 'Say yes.\u{e0049}\u{e0067}', 1, 'Say yes.\\u{e0049}\\u{e0067}'],
    ['a.sh', 'ls\rrm -rf ~\n', 1, 'ls\\u000drm'],
    ['a.js', 'a() // \u001b[2K', 1, '\\u001b[2K'],
    ['a.css', 'a { content: "\ue001" }', 1, '"\\ue001"'],
    ['a.json', '{ "a\u200c": 1 }', 1, '"a\\u200c"'],
    ['a.js', 'f()\n\ufeffg()', 2, '\\ufeffg()'],
    ['a.js', 'const text = "\u200fabc"', 1, '"\\u200fabc"'],
    ['a.md', 'abc\u200e def', 1, 'abc\\u200e'],
    ['a.js', `${'x = 1; '.repeat(200)}y\u200b = 2; ${'x = 1; '.repeat(200)}`, 1, 'y\\u200b = 2'],
  ])('%s: %j', (path, text, line, escaped) => {
    const all = found(path, text)
    expect(all.map((each) => each.line)).toEqual([line])
    expect(all[0]?.text).toContain(escaped)
    expect(all[0]?.text.length).toBeLessThan(300)
    expect(all[0]?.characters.length).toBeGreaterThan(0)
  })

  test.each([
    ['a byte order mark at the start', 'a.cs', '\ufeffusing System;\r\n'],
    ['emoji', 'a.js', "const text = '👩‍👩‍👧‍👦 ❤️ 1️⃣ 👍🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿'"],
    ['emoji in a document', 'README.md', '# 🏳️‍🌈 Done\n'],
    ['Hebrew and Arabic', 'locales/he.json', '{ "hello": "שלום", "مرحبا": "1 مرحبا" }'],
    ['marks of direction beside their letters', 'locales/ar.json', '{ "version": "الإصدار \u200e1.2\u200f" }'],
    ['Persian and Hindi', 'locales/fa.json', '{ "a": "می‌خواهم", "b": "क्‍ष" }'],
    ['places where Thai may break', 'locales/th.json', '{ "a": "สวัสดี\u200bครับ" }'],
    ['places where a long word may break', 'locales/de.json', '{ "a": "Donau\u00addampf" }'],
    ['names in another script', 'a.py', 'стоимость = 4\nвсего = стоимость\n変数 = 1\nα = 0.5\n'],
    ['accents', 'a.py', 'café = 1\ncafe\u0301_noir = 2\nnaïve = "e\u0301"\n'],
    ['colours in a snapshot', 'test/__snapshots__/a.snap', '"\u001b[31mred\u001b[39m"'],
    ['a new page of a source', 'a.c', 'int a;\n\f\nint b;\n'],
    ['spaces of typography', 'a.md', '10 km — 5 %\n'],
    ['a picture', 'a.png', '\u0000\u0001\u202e\ufffd'],
    ['letters of mathematics beside words', 'a.py', 'Δx = λ_max * μs + αmax - θ0\nρ_water = ν + v\n'],
    ['a name of two words in two scripts', 'a.ts', 'getИмя(полеId)\nточкаX = адресURL\n'],
    ['a letter that stands alone', 'a.hs', 'ℓ = 1\nℝ = 2\nµs = 3\n'],
    [
      'Turkish, and letters of phonetics',
      'a.ts',
      'const verb = "olmalıdır"\nconst ipa = ["ɡ", "ɡud"]\nconst ıslak = 1',
    ],
    ['words about them', 'a.js', '// U+202E, \\u202e\nconst turned = "\\u202e"\n'],
    ['words of two scripts in a comment', 'a.js', '// Сall it Сache\n'],
    ['names that differ in ASCII letters alone', 'a.js', 'const l1 = 1, ll = 2, I1 = 3, O0 = 4, OO = 5\n'],
  ])('is not %s', (_what, path, text) => {
    expect(found(path, text)).toEqual([])
  })

  test('is reported if the change adds it, and not if it existed and moved, or is beside a changed word', () => {
    const old = 'f(1)\nconst a = "x\u200by"\n'
    expect(found('a.js', `${old}g()\n`, old)).toEqual([])
    expect(found('a.js', '  const a = "x\u200by"\nf(1)\n', old)).toEqual([])
    expect(found('a.js', old.replace('const a', 'export const longer'), old)).toEqual([])
    expect(found('a.js', `${old}const b = "x\u200bz"\n`, old).map(({ line }) => line)).toEqual([3])
    const lines = { path: 'a.js', before: null, after: 'a\u200b\nb\u200b\n', others: new Set<string>() }
    expect(disguisesIn({ ...lines, isAdded: (line) => line === 2 }).map(({ line }) => line)).toEqual([2])
  })
})

describe('names that look like others', () => {
  test.each([
    ['a.js', 'const p\u0430ssword = 1', ['p\\u0430ssword']],
    ['a.py', 'def \u0441ompare(a, b):', ['\\u0441ompare']],
    ['a.ts', 'class \u0391dmin {}', ['\\u0391dmin']],
    ['a.rs', 'fn is_\u0435qual() {}', ['is_\\u0435qual']],
    ['a.go', 'func n\u03bfrmal() {}', ['n\\u03bfrmal']],
    ['a.py', '\u043f\u0430\u0440\u006f\u043b\u044c = 1', ['\\u043f\\u0430\\u0440o\\u043b\\u044c']],
    ['a.js', "if (role === '\u0430dmin') f()", ['\\u0430dmin']],
    ['a.js', 'if (environment\u01c3=ENV_PROD) f()', ['environment\\u01c3']],
    ['a.py', '\uff41ssert_equal = 1', ['\\uff41ssert_equal']],
    ['a.py', 'a\ud835\udc2fg = 1', ['a\\u{1d42f}g']],
    ['a.py', 'value = 1\n\u03bdalue = 2', ['\\u03bdalue']],
    ['a.js', 'const cop = 1, \u0441\u043e\u0440 = 2', ['\\u0441\\u043e\\u0440']],
    ['a.js', 'const x = 1\nconst \u0445 = 2', ['\\u0445']],
    ['a.js', 'const caf\u00e9 = 1\nconst cafe\u0301 = 2', ['caf\\u00e9', 'cafe\\u0301']],
  ])('%s: %j', (path, text, names) => {
    expect(found(path, text).flatMap((each) => each.names)).toEqual(names)
  })

  test('are also those of another file of the change, and none where only a document has them', () => {
    expect(found('a.js', '\u0441\u043e\u0440()', null, ['cop']).flatMap(({ names }) => names)).toEqual([
      '\\u0441\\u043e\\u0440',
    ])
    expect(found('a.js', '\u0441\u043e\u0440()', null, [])).toEqual([])
    expect(found('a.md', 'const p\u0430ssword = 1')).toEqual([])
  })

  test('are none that were there', () => {
    expect(found('a.js', 'f(p\u0430ss, 1)\n', 'f(p\u0430ss)\n')).toEqual([])
  })
})
