import { expect, test } from 'vitest'
import { plantCanary } from '../../../../src/domain/gate/canaries/plant-canary.ts'

/** The largest values that can be drawn. */
const values = { below: (end: number) => end - 1, number: () => 1, word: () => 'w' }
const plant = (path: string, text: string) => plantCanary({ path, text, token: 'c0', values })
const plantFirst = (path: string, text: string) => plantCanary({ path, text, token: 'c0', values, isFirst: true })
const jest = "describe('x', () => { it('adds', () => { expect(add(1)).toBe(2) }) })\n"

test.each([
  [
    'node:test',
    'a.test.js',
    "import { it } from 'node:test'\nimport { equal } from 'node:assert'\n",
    ["it('c0'", 'equal(1, 2)'],
  ],
  [
    'CommonJS',
    'a.cjs',
    "const test = require('node:test')\nconst assert = require('assert')\n",
    ["test('c0'", 'assert.throws(() => {})'],
  ],
  [
    'vitest',
    'a.test.ts',
    "import { expect, test as on } from 'vitest'\n",
    ["on('c0'", '// @ts-ignore\n    () => expect(1).toBe(2)'],
  ],
  ['jest', 'a.spec.js', jest, ["it('c0'", 'expect(1).toBe(2)']],
  ['mocha with chai', 'a.js', `import { expect as is } from 'chai'\n${jest}`, ["it('c0'", 'is(1).to.equal(2)']],
  ['ava', 'a.js', "import test from 'ava'\n", ["test('c0 equal', (t)", 't.is(1, 2)']],
  ['tape', 'a.js', "const tape = require('tape')\n", ["tape('c0 equal', (t)", "t.equal(1, 2, 'c0 equal')", 't.end()']],
  ['tap', 'a.js', "const t = require('tap')\n", ["\nt.test('c0 equal', (t)", 't.end()']],
  ['a runner of its own', 'a.js', "const t = require('./runner')\nt.test('a', f)\n", ["\nt.test('c0', () => {"]],
  [
    'its assertions',
    'a.js',
    "const t = require('./runner')\nt.test('a', ct => {\n  ct.equal(f(), 1)\n  t.ok(f())\n})\n",
    ["\nt.test('c0', (ct) => {", '() => ct.equal(1, 2)', '() => t.ok(null)'],
  ],
  ['its function', 'a.js', "import { test } from './own.js'\ntest('a', f)\n", ["test('c0', () => {"]],
  ['tap by its parts', 'a.js', "import { test } from 'tap'\n", ["\ntest('c0 equal', (t)"]],
  ['bats', 'a.bats', '@test "adds" {\n  run add\n}\n', ['@test "c0" {\n  false\n}']],
  [
    'shunit2, which runs what stands before it',
    'a_test.sh',
    'testA() {\n  assertTrue 1\n}\n. "${TH_SHUNIT}"\n',
    ['test_c0() {\n  fail \'c0 must fail\'\n}\n\n. "${TH_SHUNIT}"'],
  ],
  ['pytest', 'test_a.py', 'def test_a():\n    assert f()\n', ['def test_c0():', 'pytest.raises(KeyError)']],
  [
    'unittest',
    'test_a.py',
    'class A(base.TestCase):\n    pass\n',
    ['class Testc0(base.TestCase):', 'self.assertRaises('],
  ],
  ['go', 'a_test.go', 'package a\n\nfunc TestA(t *testing.T) {\n}\n', ['func Test_c0(t *testing.T)', 't.Errorf(']],
  ['cargo', 'src/lib.rs', 'mod tests {\n    #[test]\n    fn a() {}\n}\n', ['fn c0_equal()', '#[should_panic]']],
  [
    'JUnit',
    'ATest.java',
    'import org.junit.jupiter.api.Test;\nclass ATest {\n  @Test void a() {}\n}\n',
    ['void c0()', 'org.junit.jupiter.api.Assertions.assertEquals(', 'Assertions.assertThrows('],
  ],
  [
    'JUnit 4, in the class of the tests',
    'ATest.java',
    'import org.junit.Test;\npublic class ATest {\n  @Test public void a() {}\n}\nclass Last { }\n',
    ['org.junit.Assert.assertEquals(', '@org.junit.Test(expected = IllegalStateException.class)', '}\nclass Last { }'],
  ],
])('a canary in the manner of %s', (_what, path, text, parts) => {
  const planted = plant(path, text) ?? ''
  for (const part of parts) expect(planted).toContain(part)
  const kept = text.replace(/\n[^\n]*\n(?:class Last.*\n)?$/, '')
  expect(planted.startsWith(kept)).toBe(true)
})

test.each([
  [
    'a test of a runner that is not known',
    'a.test.js',
    "import { test } from '@playwright/test'\ntest('a', () => {})\n",
  ],
  ['a function of its own', 'a.test.js', "function test() {}\ntest('a', () => {})\n"],
  ['a value of another file', 'a.test.js', "import { pattern } from './own.js'\npattern.exec('a')\n"],
  ['no tests', 'a.test.js', 'export const a = 1\n'],
  ['a helper of Go', 'a_test.go', 'package a\n\nfunc help() {}\n'],
  ['a library of Rust', 'src/lib.rs', 'pub fn a() {}\n'],
  ['C', 'test.c', 'int main(void) { return 0; }\n'],
])('none where there is %s', (_what, path, text) => {
  expect(plant(path, text)).toBeNull()
})

test('a canary of Python stands before what runs the file as a program, and line ends stay', () => {
  const planted = plant(
    'test_a.py',
    "import unittest\r\nclass A(unittest.TestCase):\r\n    pass\r\nif __name__ == '__main__':\r\n    unittest.main()\r\n",
  )
  expect(planted?.indexOf('Testc0')).toBeLessThan(planted?.indexOf('__name__') ?? 0)
  expect(planted?.replaceAll('\r\n', '')).not.toContain('\n')
})

test.each([
  [
    'behind what is imported',
    'a.test.js',
    "import test from 'node:test'\nimport {\n  equal,\n} from 'node:assert'\n\nconst a = 1\ntest('a', () => { equal(a, 1) })\n",
    "} from 'node:assert'\n;/* eslint-disable */",
  ],
  [
    'behind what is required',
    'a.test.js',
    "'use strict'\nconst test = require('node:test')\nconst { equal } = require('node:assert')\ntest('a', () => {})\n",
    "require('node:assert')\n;/* eslint-disable */",
  ],
  ['behind what describes the file', 'a.spec.js', `/** jsdom */\n${jest}`, 'jsdom */\n\n;/* eslint'],
  [
    'before what decorates a test',
    'test_a.py',
    'import pytest\n\n@pytest.mark.parametrize("a", [\n    1,\n])\ndef test_a(a):\n    assert f(a)\n',
    'import pytest\n\n\n\n# fmt: off\ndef test_c0()',
  ],
  [
    'before the first class',
    'test_a.py',
    'import unittest as u\n\nclass A(u.TestCase):\n    pass\n',
    'class AAc0(u.TestCase)',
  ],
  [
    'before the words on a test',
    'a_test.go',
    'package a\n\nimport "testing"\n\n// TestA is first.\nfunc TestA(t *testing.T) {\n}\n',
    '\n\n\nfunc Test_c0(',
  ],
  ['before the first test', 'a.bats', 'load x\n@test "adds" {\n  run add\n}\n', 'load x\n\n@test "c0"'],
])('the first canary stands %s', (_what, path, text, part) => {
  const planted = plantFirst(path, text) ?? ''
  expect(planted).toContain(part)
  const at = planted.indexOf('c0')
  for (const test of ["test('a'", 'def test_a', 'class A(', 'func TestA', '@test "adds"', "it('adds'"])
    if (text.includes(test)) expect(planted.indexOf(test)).toBeGreaterThan(at)
})

test.each(['src/lib.rs', 'ATest.java', 'a_test.sh'])('no order of tests is known of %s', (path) => {
  const text = {
    'src/lib.rs': '    #[test]\n',
    'ATest.java': 'import org.junit.Test;\nclass A {\n @Test void a() {}\n}\n',
  }
  expect(plantFirst(path, text[path as keyof typeof text] ?? '. shunit2\n')).toBeNull()
})
