import { expect, test } from 'vitest'
import { isSameCode } from '../../../src/domain/gate/code-syntax.ts'
import { spokenIn } from '../../../src/domain/gate/self-judging.ts'

const [imports, asks, ends, equals, replaces] = [
  'imports a test runner',
  'asks whether it is tested',
  'ends the process as if all were well',
  'equals whatever it is compared with',
  'replaces what tests rely on',
]

test.each([
  ['src/a.js', `import { mock } from 'node:test'`, imports],
  ['src/a.ts', `import {\n  vi,\n  expect,\n} from "vitest"`, imports],
  ['src/a.cjs', `const { jest } = require('@jest/globals')`, imports],
  ['src/a.mjs', `const t = await import('node:test')`, imports],
  ['src/a.js', `if (process.env.NODE_TEST_CONTEXT) done()`, asks],
  ['src/a.js', `const { JEST_WORKER_ID } = process.env`, asks],
  ['src/a.js', `const quick = process.env['CI'] ? 1 : 2`, asks],
  ['src/a.ts', `if (process.env.NODE_ENV === 'test') return 4`, asks],
  ['src/a.ts', `if (import.meta.${'vitest'}) expectAll()`, asks],
  ['src/a.js', `const isTested = typeof describe === 'function'`, asks],
  ['src/a.js', `if (process.argv.some(arg => arg.includes('mocha'))) return 4`, asks],
  ['src/a.js', `const fast = require.main?.filename.includes('mocha')`, asks],
  ['src/a.js', `if (process.title === 'ava') return 4`, asks],
  ['src/a.js', `if (process.env.npm_lifecycle_event === 'test') return 4`, asks],
  ['src/a.js', `process.exit(0)`, ends],
  ['src/a.js', `const isMain = import.meta.url === main; process.exit(0)`, ends],
  ['src/a.js', `if (import.meta.main) run()\nprocess.exit(0)`, ends],
  ['src/a.js', `setTimeout(() => process.exit(code))`, ends],
  ['src/a.js', `process.on('exit', () => { process.exitCode = 0 })`, ends],
  ['src/a.js', `class A { valueOf() { return 4 } }`, equals],
  ['src/a.js', `class A {\n  [Symbol.toPrimitive](hint) {\n    return 4\n  }\n}`, equals],
  ['src/a.ts', `class A { equals(other: A): boolean { return true } }`, equals],
  ['src/a.js', `assert.equal = () => {}`, replaces],
  ['src/a.js', `Object.assign(assert, { equal: () => {} })`, replaces],
  ['src/a.js', `Math.random = () => 0.5`, replaces],
  ['src/a.js', `Date.now = () => 0`, replaces],
  ['src/a.js', `Array.prototype.includes = () => true`, replaces],
  ['src/a.js', `globalThis.Date = Fake`, replaces],
  ['app/a.py', 'import pytest', imports],
  ['app/a.py', 'from unittest import TestCase', imports],
  ['app/a.py', `if os.environ.get('PYTEST_CURRENT_TEST'):\n    pass`, asks],
  ['app/a.py', `fast = 'pytest' in sys.modules`, asks],
  ['app/a.py', 'os._exit(0)', ends],
  ['app/a.py', 'import atexit, os\natexit.register(os._exit, 0)', ends],
  ['app/a.py', 'import atexit, os as o\natexit.register(o._exit, 0)', ends],
  ['app/a.py', 'from os import path, _exit\nregister(_exit, 0)', ends],
  ['app/a.py', `sys.exit(0)\nif __name__ == '__main__':\n    sys.exit(0)`, ends],
  ['app/a.py', 'class A:\n    def __eq__(self, other):\n        return True', equals],
  ['app/a.py', `Any = type('Any', (), {'__eq__': lambda self, other: True})`, equals],
  ['app/a.py', 'unittest.TestCase.assertEqual = lambda *a: None', replaces],
  ['app/a.py', `setattr(builtins, 'len', lambda x: 4)`, replaces],
  ['a.go', 'package a\nimport (\n\t"testing"\n)', imports],
  ['a.go', 'package a\nvar fast = strings.HasSuffix(os.Args[0], ".test")', asks],
  ['a.go', 'package a\nvar fast = testing.Testing()', asks],
  ['a.go', 'package a\nfunc init() { os.Exit(0) }', ends],
  ['a.go', 'package main\nfunc init() {\n\tos.Exit(0)\n}', ends],
  ['a.go', 'package a\nfunc (a A) Equal(b A) bool { return true }', equals],
  ['src/lib.rs', 'pub fn f() -> u32 { if cfg!(test) { 4 } else { 5 } }', asks],
  ['src/lib.rs', '#[cfg(not(test))]\npub fn f() {}', asks],
  ['src/lib.rs', 'pub fn f() { std::process::exit(0) }', ends],
  ['src/lib.rs', 'impl PartialEq for A { fn eq(&self, _: &Self) -> bool { true } }', equals],
  ['src/lib.rs', '#[macro_export]\nmacro_rules! assert_eq { ($($t:tt)*) => {} }', replaces],
  ['include/a.h', '#define NDEBUG', replaces],
  ['include/a.h', '#undef assert', replaces],
  ['include/a.h', '#define ASSERT_EQ(a, b)', replaces],
  ['src/a.c', 'void f(void) { exit(0); }', ends],
  ['src/a.c', '__attribute__((constructor)) static void f(void) {}', ends],
  ['src/a.c', 'int f(void) { return getenv("CI") ? 4 : 5; }', asks],
  ['src/A.java', 'public boolean equals(Object other) { return true; }', equals],
  ['src/A.java', 'void f() { System.exit(0); }', ends],
  ['lib/a.rb', 'at_exit { exit!(0) }', ends],
])('%s speaks to its judge with %j', (path, text, what) => {
  expect(spokenIn(text, path).map((each) => each.what)).toContain(what)
})

test.each([
  ['src/a.js', `import assert from 'node:assert'\nassert.equal(typeof a, 'string')`],
  ['src/a.ts', `import type { Mock } from 'vitest'`],
  ['src/a.js', `// process.exit(0)\nconst text = 'process.exit(0)'`],
  ['src/a.js', `if (broken) process.exit(1)`],
  ['src/a.js', `if (require.main === module) main(process.argv.slice(2))`],
  ['src/a.js', `const latest = process.argv.includes('--latest') || process.argv.includes('java')`],
  ['bin/a.js', `process.exit(await main())`],
  ['src/cli.ts', `process.exitCode = await run()`],
  ['src/tool.js', `#!/usr/bin/env node\nprocess.exit(run())`],
  ['src/a.js', `if (process.env.NODE_ENV === 'production') cache()\nprocess.env.TZ = 'UTC'`],
  ['src/a.js', `Object.assign(Object.create(null), more)\nconst now = Date.now() === 1`],
  ['src/a.js', `class A { equals(other) { return this.x === other.x }\n valueOf() { return this.x } }`],
  ['src/a.js', `it.next = () => tests.describe\nexports.test = 1`],
  ['src/a.js', `window.location.href = x\nError.stackTraceLimit = 50`],
  ['app/a.py', `def main():\n    sys.exit(0)\n\nif __name__ == '__main__':\n    main()`],
  ['app/a.py', `def __eq__(self, other):\n    return self.x == other.x`],
  ['app/a.py', `"""Run pytest.\n\nimport pytest\n"""\nimport testing_tools\nsys.path.append('x')`],
  [
    'src/a.js',
    `if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exit(run(process.argv.slice(2)))\n`,
  ],
  ['src/a.js', `import.meta.main && process.exit(await run())\n`],
  ['src/a.js', `if (require.main === module) process.exit(run())\n`],
  [
    'src/a.js',
    `process.on('exit', () => rmSync(folder, { recursive: true, force: true }))\nprocess.once('exit', cleanUp)`,
  ],
  ['app/a.py', 'import atexit\natexit.register(flush)\natexit.register(shutil.rmtree, folder, ignore_errors=True)'],
  ['app/a.py', 'from atexit import register\n\n@register\ndef flush():\n    log.flush()'],
  ['app/a.py', `raise SystemExit(2)\nvalue = os.environ['HOME']`],
  ['main.go', 'package main\nfunc main() {\n\tos.Exit(run())\n}'],
  ['a.go', 'package a\nfunc (a A) Equal(b A) bool { return a.x == b.x }\nfunc usage() { fmt.Println(os.Args[0]) }'],
  ['src/lib.rs', '#[cfg(test)]\nmod tests { use super::*; }'],
  ['src/main.rs', 'fn main() { std::process::exit(run()) }'],
  ['src/a.c', 'int main(void) {\n  exit(0);\n}'],
  ['include/a.h', '#define AREA_H\n#define ASSERT_H 1\n#define CHECK_MAX 4\n#include <assert.h>'],
  ['src/A.java', 'public boolean equals(Object o) { return o instanceof A a && a.x == x; }'],
])('%s says nothing to its judge with %j', (path, text) => {
  expect(spokenIn(text, path)).toEqual([])
})

test('what is said has its lines', () => {
  const text = 'class A:\n    def __eq__(self, other):\n        return True\n\n\nos._exit(0)\n'
  expect(spokenIn(text, 'a.py').toSorted((a, b) => a.firstLine - b.firstLine)).toEqual([
    { what: equals, firstLine: 2, lastLine: 3 },
    { what: ends, firstLine: 6, lastLine: 6 },
  ])
})

test('a formatter changes nothing that is said; a margin in Python does', () => {
  expect(isSameCode(`f("a")\r\n`, `f(\n  'a',\n);\n`, 'a.js')).toBe(true)
  expect(isSameCode('f(1)', 'f(2)', 'a.js')).toBe(false)
  expect(isSameCode(`f("a")\r\n`, `f('a')\n`, 'a.py')).toBe(true)
  expect(isSameCode('def f():\n    g()\n', 'def f():\ng()\n', 'a.py')).toBe(false)
})
