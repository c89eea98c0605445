import { expect, test } from 'vitest'
import { testParts, withTestsOf } from '../../../src/gate/assurance/in-file-tests.ts'

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
  // Vitest replaces these words where they stand together.
  const script = `export const a = 1\nif (import.meta.${'vitest'}) {\n  test('a', () => { expect('}').toBe(a) })\n}\n`
  expect(withTestsOf('a.ts', script, null)).toBe('export const a = 1\n')
  expect(withTestsOf('a.zig', 'fn a() void {}\ntest "a {" {\n    a();\n}\n', null)).toBe('fn a() void {}\n')
  expect(testParts('a.py', '#[cfg(test)]\n#[test]\ndef a(): pass\n')).toEqual([])
})
