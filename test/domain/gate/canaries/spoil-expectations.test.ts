import { expect, test } from 'vitest'
import { drawnValues } from '../../../../src/domain/gate/canaries/drawn-values.ts'
import { spoilExpectations } from '../../../../src/domain/gate/canaries/spoil-expectations.ts'

const spoil = (path: string, text: string, before: string | null = null, seed = 'a') =>
  spoilExpectations({ path, text, before, values: drawnValues(seed) })

/** Expects that only the literal between the marks is replaced. */
function expectSpoiled(path: string, marked: string): void {
  const [before = '', literal = '', behind = ''] = marked.split(/[«»]/)
  for (const seed of ['a', 'b', 'c']) {
    const { text, tests } = spoil(path, before + literal + behind, null, seed)
    expect(tests).toHaveLength(1)
    expect([text.slice(0, before.length), text.slice(-behind.length)]).toEqual([before, behind])
    const made = text.slice(before.length, -behind.length)
    expect(made).not.toBe(literal)
    expect(made.replaceAll(/\d+/g, '0').replaceAll(/[a-z]/gi, 'a')).toBe(
      literal.replaceAll(/\d+/g, '0').replaceAll(/[a-z]/gi, 'a'),
    )
  }
}

test.each([
  "test('a', () => { const x = f(1); assert.equal(x, «4») })",
  "it('b', async () => {\n  expect(f()).toBe(1)\n  expect(f())\n    .toEqual(«{ a: [1] }»)\n})",
  "test('c', (t) => { t.is(f(), «'x'», 'message'); })",
  "test('d', () => {\n  try { assert.equal(f(), «-5.25») } catch {}\n})",
  "test('e', function () {\n  return\n  assert.deepEqual(\n    f(),\n    «[1]»,\n  )\n})",
  "test('f', () => assert.equal(f(), «'Ab'»))",
  'test(`g`, { timeout: 9 }, async () => expect(await f()).toBe(«4n»))',
  "test('h', () => {\n  const expected = «[1, 2]»\n  expect(f()).toEqual(expected)\n})",
  "it('i', () => {\n  expect(f()).to.equal(«1»)\n})",
  "test('j', () => { equal(f(), «'a b'») })",
  "test('l', () => { assert.ok(f() === «4») })",
  "test('k', () => { assert.deepEqual(f(), «{ a: g(), b: 2 }») })",
  "test('m', () => { assert.ok(f().includes(«'price'»)) })",
  "test('n', () => {\n  expect(f()).toContain(«'price'»)\n})",
])('the last literal that a test of JavaScript expects: %j', (marked) => expectSpoiled('a.test.js', marked))

test.each([
  'def test_a():\n    assert f(1) == «4»\n',
  'class A:\n    def test_b(self):\n        assert f() == «{"a": [1]}», "why"\n',
  '    def test_c(self):\n        try:\n            self.assertEqual(f(), «5»)\n        except Exception:\n            pass\n',
  'def test_d():\n    assert f(\n        1,\n    ) == «(1, 2)»\n',
  'class A:\n    def test_e(self):\n        self.assertEqual(\n            f(),\n            «"x y"»,\n        )\n',
  'def test_f():\n    expected = «4.50»\n    assert f() == expected\n',
  '@pytest.mark.parametrize("x, want", [\n    (1, 2),\n    (3, «4»),\n])\ndef test_g(x, want):\n    assert f(x) == want\n',
  'class A:\n    def test_i(self):\n        self.assertIn(«"price"», f())\n',
  'def test_j():\n    assert «"price"» in f()\n',
  '@pytest.mark.parametrize("x", [1, 2])\ndef test_h(x):\n    assert f(x) == «{1, 2}»\n',
])('the last literal that a test of Python expects: %j', (marked) => expectSpoiled('test_a.py', marked))

test.each([
  ['a.test.js', "test('a', () => { assert.ok(«f().includes('a')») })", "!(f().includes('a'))"],
  ['a.test.js', "test('a', () => { assert.ok(«f() > 3», 'why') })", '!(f() > 3)'],
  ['a.test.js', "test('a', async () => {\n  assert(«await f()»)\n})", '!(await f())'],
  ['test_a.py', 'def test_a():\n    assert «f() in (1, 2)», "why"\n', 'not (f() in (1, 2))'],
  ['test_a.py', 'def test_a():\n    assert «not f() == 4»\n', 'not (not f() == 4)'],
  ['test_a.py', 'class A:\n    def test_a(self):\n        self.assertFalse(«f(3)»)\n', 'not (f(3))'],
])('an assertion that something is true is turned round: %s %j', (path, marked, made) => {
  const [before = '', literal = '', behind = ''] = marked.split(/[«»]/)
  expect(spoil(path, before + literal + behind)).toMatchObject({ text: before + made + behind })
})

const another = 'new (class extends Error {})()'

test.each([
  ['a.test.js', "test('a', () => { assert.throws(«() => f(1)», my.Failure) })", `() => { throw ${another} }`],
  ['a.test.js', "test('a', async () => {\n  await assert.rejects(«f()», TypeError)\n})", `Promise.reject(${another})`],
  ['a.test.js', "test('a', () => {\n  expect(«() => f()»).toThrow(Failure)\n})", `() => { throw ${another} }`],
  [
    'test_a.py',
    'class A:\n    def test_a(self):\n        with self.assertRaises(my.Failure) as failed:\n            «f(1)»\n',
    'raise type("Another", (Exception,), {})',
  ],
  [
    'test_a.py',
    'def test_a():\n    with pytest.raises(ValueError, match="x"):\n        «f(1)»\n',
    'raise type("Another", (Exception,), {})',
  ],
])('what must fail in one way fails in another: %s %j', (path, marked, made) => {
  const [before = '', literal = '', behind = ''] = marked.split(/[«»]/)
  expect(spoil(path, before + literal + behind)).toMatchObject({ text: before + made + behind })
})

test.each([
  ['a.test.js', "test('a', () => { assert.throws(() => f(1), Error) })"],
  ['a.test.js', "test('a', () => { assert.throws(() => f(1), /x/) })"],
  ['a.test.js', "test('a', () => { assert.throws(() => f(1)) })"],
  ['test_a.py', 'class A:\n    def test_a(self):\n        with self.assertRaises(Exception):\n            f(1)\n'],
  ['test_a.py', 'def test_a():\n    with pytest.raises(E):\n        for x in y:\n            f(x)\n'],
])('what may fail in any way, or is not understood, is left alone: %s %j', (path, text) => {
  expect(spoil(path, text)).toEqual({ text, tests: [] })
})

test.each([
  ['a.test.js', "test('a', () => { expect(f()).toBeCloseTo(«3.14, 0») })", '13.14, 0'],
  ['a.test.js', "test('a', () => { expect(f()).toBeCloseTo(«3») })", '3.1'],
  ['test_a.py', 'def test_a():\n    assert f() == pytest.approx(«1.6667, abs=1e-3»)\n', '1.6767, abs=1e-3'],
  ['test_a.py', 'def test_a():\n    assert f() == approx(«200»)\n', '200.2'],
  ['test_a.py', 'class A:\n    def test_a(self):\n        self.assertAlmostEqual(f(), «2, places=1»)\n', '3, places=1'],
  [
    'test_a.py',
    'class A:\n    def test_a(self):\n        self.assertAlmostEqual(f(), «2, delta=0.5, msg="a"»)\n',
    '7, delta=0.5, msg="a"',
  ],
])('what is compared within a tolerance is far outside of it: %s %j', (path, marked, made) => {
  const [before = '', literal = '', behind = ''] = marked.split(/[«»]/)
  expect(spoil(path, before + literal + behind)).toMatchObject({ text: before + made + behind })
})

test.each([
  ['true', 'false'],
  ['10', /^(?:9|11)$/],
  ['0', '1'],
  ['0.0', '0.1'],
  ['9007199254740993', /^90071992547[34]0993$/],
  ['3.141592653589793', /^3\.1415[89]2653589793$|^3\.14160?2653589793$|^3.141582653589793$/],
  ['1e9', /^[02]e9$/],
  ['null', /^\d+$/],
  ["''", /^'[a-z]+'$/],
  ['[]', /^\[\d+\]$/],
  ['{}', /^\{ [a-z]+: \d+ \}$/],
  ["'Zurich-8001'", /^'[A-Z][a-z]{5}-\d{4}'$/],
  ["['a' + 'b', f(2)]", /^'[a-z]+'$/],
  ['{ ...all, a: 1 }', /^'[a-z]+'$/],
])('%s becomes a value that is like it', (literal, made) => {
  const text = `test('a', () => { assert.equal(f(), ${literal}) })`
  const [, found = ''] = /f\(\), (.*)\) \}\)$/.exec(spoil('a.test.js', text).text) ?? []
  expect(found).not.toBe(literal)
  expect(found).toMatch(made instanceof RegExp ? made : new RegExp(`^${made.replace('.', '\\.')}$`))
})

test.each([
  ...[
    "test('is under a condition', () => { if (x) assert.equal(f(), 4) })",
    "test('is under a condition', () => {\n  if (x)\n    assert.equal(f(), 4)\n})",
    "test('is in a loop', () => {\n  for (const x of xs)\n    assert.equal(x, 4)\n})",
    "test('is in a callback', () => { xs.forEach((x) => { assert.equal(x, 4) }) })",
    "test('is in a helper', () => { const check = () => { assert.equal(f(), 4) } })",
    "test('is in a catch', () => { try { f() } catch (e) { assert.equal(e.name, 'E') } })",
    "test('is returned', () => { return assert.equal(f(), 4) })",
    "test('is part of more', () => { expect(f()).toBe(1) && g() })",
    "test('is negated', () => { expect(f()).not.toBe(4) })",
    "test('names what it expects', () => { assert.equal(f(), g()) })",
    "test('compares constants', () => { assert.equal(1, 1) })",
    "test('is true', () => { assert.ok(true) })",
    "test('is short, so that another may be there as well', () => { expect(f()).toContain('a') })",
    "test('skips itself', (t) => { if (x) return t.skip(); assert.equal(f(), 4) })",
    "test('is of a machine', () => { if (process.platform === 'win32') return\n assert.equal(f(), 4) })",
    "test.failing('is expected to fail', () => { assert.equal(f(), 4) })",
    "test('is expected to fail', { expectFailure: true }, () => { assert.equal(f(), 4) })",
    "test.each(table)('is in a table', (x) => { assert.equal(x, 4) })",
    "// test('is a comment', () => { assert.equal(f(), 4) })",
  ].map((text) => ['a.test.js', text] as const),
  ...[
    'def test_condition():\n    if x:\n        assert f() == 4\n',
    'def test_with():\n    with raises(E):\n        assert f() == 4\n',
    '@pytest.mark.xfail\ndef test_decorated():\n    assert f() == 4\n',
    'def test_text():\n    """\n    assert f() == 4\n    """\n',
    'def test_skips():\n    pytest.skip("no")\n    assert f() == 4\n',
    'def helper():\n    assert f() == 4\n',
    'def test_constant():\n    assert True\n',
  ].map((text) => ['test_a.py', text] as const),
])('what need not fail is left alone: %s %j', (path, text) => {
  expect(spoil(path, text)).toEqual({ text, tests: [] })
})

const inGo = (...lines: readonly string[]) =>
  `package a\n\nfunc TestA(t *testing.T) {\n${lines.map((line) => `\t${line}\n`).join('')}}\n`
const table = (rows: string, field = 'want') => [
  'tests := []struct {\n\t\tname string\n\t\tin, want int\n\t}{',
  rows,
  '}',
  `for _, tc := range tests {\n\t\tt.Run(tc.name, func(t *testing.T) {\n\t\t\tif got := f(tc.in); got != tc.${field} {\n\t\t\t\tt.Errorf("got %d, want %d", got, tc.want)\n\t\t\t}\n\t\t})\n\t}`,
]

test.each([
  inGo('if got := f(2); got != «4» {', '\tt.Errorf("got %d, want 4", got)', '}'),
  inGo('got := f(2)', 'if got != «"a b"» {', '\tt.Fatal(got)', '}', 'close(c)'),
  inGo('want := «[]int{1, 2}»', 'if !reflect.DeepEqual(f(), want) {', '\tt.Errorf("got %v, want %v", f(), want)', '}'),
  inGo('want := «Point{X: 1, Y: 2}»', 'if got := f(); got != want {', '\tt.Error(got, want)', '}'),
  inGo('require.Equal(t, «255», f(2))'),
  inGo('assert.Equal(t, f(2), «1.5», "why")'),
  inGo(...table('{name: "one", in: 1, want: 1},\n\t\t{name: "two", in: 2, want: «4»},')),
  inGo(...table('{"one", 1, 1},\n\t\t{"two", 2, «4»},')),
])('the last value that a test of Go expects: %j', (marked) => expectSpoiled('a_test.go', marked))

const inRust = (...lines: readonly string[]) =>
  `#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n${lines.map((line) => `        ${line}\n`).join('')}    }\n}\n`

test.each([
  inRust('assert_eq!(f(2), «4»);'),
  inRust('assert_eq!(«Some(255)», f(2), "why {}", 1);'),
  inRust('assert_eq!(f(), «vec![1, 2]»);', 'drop(x);'),
  inRust('assert_eq!(f(), «Money::new(4)»);'),
  inRust('assert_eq!(f(), «Money { cents: 4 }»);'),
  inRust('assert_eq!(f(), «"a b".to_string()»);'),
])('the last value that a test of Rust expects: %j', (marked) => expectSpoiled('src/lib.rs', marked))

test.each([
  ...[
    inGo('if f(2) != 4 {', '\tlog.Print("no")', '}'),
    inGo('if ok {', '\tif f(2) != 4 {', '\t\tt.Fail()', '\t}', '}'),
    inGo('if testing.Short() {', '\tt.Skip()', '}', 'if f(2) != 4 {', '\tt.Fail()', '}'),
    inGo('if err != nil {', '\tt.Fatal(err)', '}'),
    inGo('n := 4', 'if f(n) != n {', '\tt.Fail()', '}', 'g(n)'),
    inGo('if math.Abs(f(2)-4) > 0.1 {', '\tt.Fail()', '}'),
    inGo('if f(2) == 4 {', '\tt.Fail()', '}'),
    inGo('if got := f(); got != g() {', '\tt.Fail()', '}'),
    inGo(...table('{name: "one", in: 1, want: g()},')),
    inGo(
      ...table('{name: "one", in: 1, want: 1},').map((line) =>
        line.replace('in, want int', 'in, want int\n\t\twantErr bool'),
      ),
    ),
  ].map((text) => ['a_test.go', text] as const),
  ...[
    inRust('assert_eq!(f(), g());'),
    inRust('assert_ne!(f(), 4);'),
    inRust('if x { assert_eq!(f(), 4); }'),
    inRust('assert!((f() - 4.0).abs() < 0.1);'),
    inRust('assert_eq!(2, 2);'),
    inRust('assert_eq!(f(), max(1, 4));'),
    inRust('assert_eq!(f(), 4);').replace('#[test]', '#[test]\n    #[should_panic]'),
    inRust('assert_eq!(f(), 4);').replace('#[test]', '#[ignore]\n    #[test]'),
  ].map((text) => ['src/lib.rs', text] as const),
])('what need not fail in a compiled language is left alone: %s %j', (path, text) => {
  expect(spoil(path, text)).toEqual({ text, tests: [] })
})

test('a test that was there before is old, and left alone where more follows', () => {
  const old = "test('old', () => { assert.equal(f(), 4) })"
  const busy = "test('busy', () => { assert.equal(f(), 4); server.close() })"
  const all = `${old}\n${busy}\ntest('new', () => { assert.equal(f(), 4); server.close() })`
  expect(spoil('a.test.js', all, `${old}\n${busy}`).tests).toMatchObject([
    { name: 'old', isOld: true },
    { name: 'new', isOld: false },
  ])
})

test.each(['assertEqual()', 'assertEqual(f())', 'assertEqual(4, f())'])(
  '%s expects nothing that could be spoiled',
  (call) => {
    expect(spoil('test_a.py', `class A:\n    def test_b(self):\n        self.${call}\n`)).toMatchObject({ tests: [] })
  },
)
