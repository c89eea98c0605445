import { expect, test } from 'vitest'
import { testParts, withTestsOf } from '../../../src/domain/gate/in-file-tests.ts'

const rust = `use std::fmt;

/// Twice.
pub fn twice(n: i32) -> i32 { n * 2 }

#[cfg(test)]
use std::{collections::HashMap, fs};

#[cfg(any(test, feature = "extra"))]
pub fn extra() {}

/// Of twice: "}" in a string, and a lifetime.
#[allow(dead_code)]
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn doubles() { assert_eq!(twice(2), 4, "}} {}", 'a'); }
    fn held<'a>(x: &'a str) -> &'a str { x }
}

#[tokio::test]
async fn outside() { assert_eq!(twice(1), 2) }

pub const LAST: [u8; 2] = [1, 2];
`

test('the tests of a Rust file are its items under #[cfg(test)] and #[test], with what belongs to them', () => {
  expect(
    testParts('src/lib.rs', rust).map(({ header, start, end }) => [
      header,
      rust.slice(start, end).split('\n').length - 1,
    ]),
  ).toEqual([
    ['#[cfg(test)] use std::', 2],
    ['#[allow(dead_code)] #[cfg(test)] mod tests', 9],
    ['#[tokio::test] async fn outside()', 2],
  ])
  expect(withTestsOf('src/lib.rs', rust, null)).toBe(`use std::fmt;

/// Twice.
pub fn twice(n: i32) -> i32 { n * 2 }


#[cfg(any(test, feature = "extra"))]
pub fn extra() {}



pub const LAST: [u8; 2] = [1, 2];
`)
})

test('another version’s tests stand where those of the same name stood, and what has no place at the end', () => {
  const now = `pub fn a() {}\n#[cfg(test)]\nmod tests { fn new() {} }\npub fn b() {}`
  const before = `#[cfg(test)]\nmod tests { fn old() {} }\n#[test]\nfn alone() {}\n`
  expect(withTestsOf('a.rs', now, before)).toBe(
    `pub fn a() {}\n#[cfg(test)]\nmod tests { fn old() {} }\npub fn b() {}\n#[test]\nfn alone() {}\n`,
  )
  expect(withTestsOf('a.rs', now, now)).toBe(now)
})

test('scripts and Zig can hold tests, too, and other files none', () => {
  // Vitest replaces these words when they are adjacent.
  const script = `export const a = 1\nif (import.meta.${'vitest'}) {\n  test('a', () => { expect('}').toBe(a) })\n}\n`
  expect(withTestsOf('a.ts', script, null)).toBe('export const a = 1\n')
  expect(withTestsOf('a.zig', 'fn a() void {}\ntest "a {" {\n    a();\n}\n', null)).toBe('fn a() void {}\n')
  expect(testParts('a.py', '#[cfg(test)]\n#[test]\ndef a(): pass\n')).toEqual([])
})

test('a Python module keeps another version’s test classes and test functions, and its own code', () => {
  const module = (body: string, tests: string) =>
    `import unittest\n\n\ndef parse(text):\n    return ${body}\n\n\nclass Parse(unittest.TestCase):\n    """Some\n"""\n\n    def test_one(self):\n        ${tests}\n\n\nif __name__ == "__main__":\n    unittest.main()\n`
  const [before, after] = [module('int(text)', 'self.assertEqual(parse("12"), 12)'), module('1', 'pass')]
  expect(withTestsOf('a.py', after, before)).toBe(module('1', 'self.assertEqual(parse("12"), 12)'))
  const functions = (value: number) =>
    `def twice(n):\n    return n * ${value}\n\n\n@mark\ndef test_twice():\n    assert twice(2) == ${2 * value}\n`
  expect(withTestsOf('a.py', functions(3), functions(2))).toBe(functions(2).replace('n * 2', 'n * 3'))
  expect(testParts('a.py', 'def test_connection(host):\n    return host.ping()\n')).toEqual([])
})

test('a script keeps another version’s calls of a runner, told apart by their titles', () => {
  const script = (value: number, expected: number) =>
    `import test from 'node:test'\nexport const area = (side) => side * ${value}\ntest('one', { timeout: 1 }, () => {\n  assert.equal(area(1), ${expected})\n})\ntest('two', () => assert.equal(area(2), ${2 * expected}))\nexport const last = 1\n`
  expect(withTestsOf('a.js', script(3, 3), script(2, 2))).toBe(script(3, 2))
  expect(testParts('a.js', "import { test } from './own.js'\ntest('one', () => {})\n")).toEqual([])
})
