import { expect, test } from 'vitest'
import { spoilExpectations } from '../../../../src/domain/gate/canaries/spoil-expectations.ts'

const spoil = (path: string, text: string, before: string | null = null) =>
  spoilExpectations({ path, text, before, token: 'NO' })

test.each([
  [
    "test('a', () => { const x = f(1); assert.equal(x, 4) })",
    "test('a', () => { const x = f(1); assert.equal(x, 'NO') })",
  ],
  [
    "it('b', async () => {\n  expect(f()).toBe(1)\n  expect(f())\n    .toEqual({ a: [1] })\n})",
    "it('b', async () => {\n  expect(f()).toBe(1)\n  expect(f())\n    .toEqual('NO')\n})",
  ],
  ["test('c', (t) => { t.is(f(), 'x', 'message'); })", "test('c', (t) => { t.is(f(), 'NO', 'message'); })"],
  [
    "test('d', () => {\n  try { assert.equal(f(), 5) } catch {}\n})",
    "test('d', () => {\n  try { assert.equal(f(), 'NO') } catch {}\n})",
  ],
  [
    "test('e', function () {\n  return\n  assert.deepEqual(\n    f(),\n    [1],\n  )\n})",
    "test('e', function () {\n  return\n  assert.deepEqual(\n    f(),\n    'NO',\n  )\n})",
  ],
])('the last literal that a test of JavaScript expects: %j', (text, spoiled) => {
  expect(spoil('a.test.js', text)).toMatchObject({ text: spoiled, tests: [{ name: expect.any(String) }] })
})

test.each([
  ['def test_a():\n    assert f(1) == 4\n', "def test_a():\n    assert f(1) == 'NO'\n"],
  [
    'class A:\n    def test_b(self):\n        assert f() == {"a": [1]}, "why"\n',
    'class A:\n    def test_b(self):\n        assert f() == \'NO\', "why"\n',
  ],
  [
    '    def test_c(self):\n        try:\n            self.assertEqual(f(), 5)\n        except Exception:\n            pass\n',
    "    def test_c(self):\n        try:\n            self.assertEqual(f(), 'NO')\n        except Exception:\n            pass\n",
  ],
])('the last literal that a test of Python expects: %j', (text, spoiled) => {
  expect(spoil('test_a.py', text)).toMatchObject({ text: spoiled, tests: [{ name: expect.any(String) }] })
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
    "test('has a message alone', () => { assert.ok(f(), 'four') })",
    "test('skips itself', (t) => { if (x) return t.skip(); assert.equal(f(), 4) })",
    "test('is of a machine', () => { if (process.platform === 'win32') return\n assert.equal(f(), 4) })",
    "test.failing('is expected to fail', () => { assert.equal(f(), 4) })",
    "test('is expected to fail', { expectFailure: true }, () => { assert.equal(f(), 4) })",
    "test.each(table)('is in a table', (x) => { assert.equal(x, 4) })",
    "// test('is a comment', () => { assert.equal(f(), 4) })",
    "test('is there twice', () => { assert.equal(f(), 4) })\ntest('is there twice', () => { assert.equal(f(), 4) })",
  ].map((text) => ['a.test.js', text] as const),
  ...[
    'def test_condition():\n    if x:\n        assert f() == 4\n',
    'def test_with():\n    with raises(E):\n        assert f() == 4\n',
    '@pytest.mark.xfail\ndef test_decorated():\n    assert f() == 4\n',
    'def test_either():\n    assert f() == 4 or g()\n',
    'def test_not():\n    assert not f() == 4\n',
    'def test_chain():\n    assert 1 == f() == 1\n',
    'def test_names():\n    assert f() == g()\n',
    'def test_text():\n    """\n    assert f() == 4\n    """\n',
    'def test_skips():\n    pytest.skip("no")\n    assert f() == 4\n',
    'def helper():\n    assert f() == 4\n',
  ].map((text) => ['test_a.py', text] as const),
])('what need not fail is left alone: %s %j', (path, text) => {
  expect(spoil(path, text)).toEqual({ text, tests: [] })
})

test('a test that was there before is left alone', () => {
  const old = "test('old', () => { assert.equal(f(), 4) })"
  const both = `${old}\ntest('new', () => { assert.equal(f(), 4) })`
  expect(spoil('a.test.js', both, old).tests).toMatchObject([{ name: 'new' }])
})

test.each(['assertEqual()', 'assertEqual(f())', 'assertEqual(4, f())'])(
  '%s expects nothing that could be spoiled',
  (call) => {
    expect(spoil('test_a.py', `class A:\n    def test_b(self):\n        self.${call}\n`)).toMatchObject({ tests: [] })
  },
)
