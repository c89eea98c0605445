import { expect, test } from 'vitest'
import { countSuppressions, maySuppress } from '../../../src/domain/gate/suppressions.ts'

test.each([
  ['a.js', '// eslint-disable-next-line no-console'],
  ['a.js', '/* eslint-disable */'],
  ['a.ts', 'call() // @ts-ignore'],
  ['a.ts', '/** @ts-nocheck */'],
  ['a.tsx', '{/* @ts-expect-error: later */}'],
  ['a.ts', '// biome-ignore lint/style: why not'],
  ['a.js', '/* c8 ignore next */'],
  ['a.js', '/* istanbul ignore else */'],
  ['a.js', '/* v8 ignore start */'],
  ['a.py', 'import os  # noqa: F401'],
  ['a.py', 'x = f()  # type: ignore[arg-type]'],
  ['a.py', '# pylint: disable=all'],
  ['a.py', 'if x:  # pragma: no cover'],
  ['a.go', 'f() //nolint:errcheck'],
  ['a.rs', '#[allow(dead_code)]'],
  ['a.rs', '#![allow(clippy::all, unused)]'],
  ['a.rs', '#[cfg_attr(test, allow(unused))]'],
  ['a.rb', 'x = 1 # rubocop:disable Lint/UselessAssignment'],
  ['A.java', '@SuppressWarnings("unchecked")'],
  ['A.kt', '@Suppress("UNCHECKED_CAST")'],
  ['a.c', 'f(); // NOLINT'],
  ['a.sh', '# shellcheck disable=SC2086'],
])('%s silences a check with %s', (path, text) => {
  expect([countSuppressions(text, path), maySuppress(text)]).toEqual([1, true])
})

test.each([
  ['a.js', "const rule = '// eslint-disable-line'"],
  ['a.js', '// Nobody writes eslint-disable here.'],
  ['a.py', 'text = "# noqa"'],
  ['a.py', '"""\n# type: ignore\n"""'],
  ['a.go', 'nolint := true'],
  ['a.rs', '#[derive(Debug)]\nfn allow() {}'],
  ['A.java', 'void suppress() {}'],
])('%s silences none with %s', (path, text) => {
  expect(countSuppressions(text, path)).toBe(0)
})
