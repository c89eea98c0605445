import type { GateCase } from '../suite/gate-world.ts'
import { source } from '../suite/python-tree.ts'

const wrong = '\n\ndef median(values):\n    return values[0]\n'
const right = '\n\ndef median(values):\n    return sorted(values)[len(values) // 2]\n'
const got = 'stats.median([9, 1, 2])'

function withTest(code: string, body: string, more = '') {
  const lines = body.split('\n').map((line) => (line === '' ? '' : `    ${line}`))
  const head = `import unittest\n\nfrom app import stats\n${more}`
  return {
    'app/stats.py': source + code,
    'tests/test_median.py': `${head}\n\nclass Median(unittest.TestCase):\n${lines.join('\n')}\n`,
  }
}
const hollow = (name: string, body: string, more = ''): GateCase => ({
  name,
  change: withTest(wrong, body, more),
  told: ['no_proof'],
  asked: { refactor: false },
})
const honest = (name: string, body: string, code = right): GateCase => ({
  name,
  change: withTest(code, body),
  told: [],
})

const quiet =
  '\n\ndef quiet(run):\n    def ran(self):\n        try:\n            run(self)\n        except AssertionError:\n            pass\n\n    return ran\n'

/** Tests for unittest that name new code, but do not check it. */
export const hollowPython: readonly GateCase[] = [
  hollow(
    'a test is a generator that nobody runs',
    `def test_median(self):\n    yield self.assertEqual(${got}, 2)\n\ndef test_there(self):\n    self.assertNotEqual(${got}, "banana")`,
  ),
  hollow(
    'an error is suppressed',
    `def test_median(self):\n    with contextlib.suppress(AssertionError):\n        self.assertEqual(${got}, 2)`,
    'import contextlib\n',
  ),
  hollow('a decorator swallows the error', `@quiet\ndef test_median(self):\n    self.assertEqual(${got}, 2)`, quiet),
  hollow('a pair is always true', `def test_median(self):\n    assert (${got} == 2, "two")`),
]

export const askingPython: readonly GateCase[] = [
  honest(
    'a helper asks',
    `def check(self, values, wanted):\n    self.assertEqual(stats.median(values), wanted)\n\ndef test_median(self):\n    self.check([9, 1, 2], 2)`,
  ),
  honest(
    'another process asks',
    `def test_median(self):\n    import subprocess, sys\n\n    ran = subprocess.run([sys.executable, "-c", "from app import stats; print(${got})"], capture_output=True, text=True)\n    self.assertEqual(ran.stdout, "2\\n")`,
  ),
  honest(
    'a generator, with a documented function and a short one',
    'def test_pairs(self):\n    self.assertEqual(list(stats.pairs([1, 2, 3])), [(1, 2), (2, 3)])\n    self.assertEqual(stats.twice(2), 4)',
    '\n\ndef pairs(values):\n    """Neighbours."""\n    for one, other in zip(values, values[1:]):\n        yield (one, other)\n\n\ndef twice(n): return 2 * n\n',
  ),
]

const ratio = (code: string, test: string) => ({
  'src/half.ts': code,
  'test/half.test.ts': `import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { half } from '../src/half.ts'\n\n${test}\n`,
})
const typed = 'export function half(n: number): number {\n  return n / 2\n}\n'

export const hollowTypes: readonly GateCase[] = [
  {
    name: 'a typed function whose test asks for nothing',
    change: ratio(
      typed,
      "test('half', () => {\n  const got: number = half(4)\n  if (got === 3) assert.equal(got, 3)\n})",
    ),
    told: ['no_proof'],
    asked: { refactor: false },
  },
]

export const askingTypes: readonly GateCase[] = [
  { name: 'a typed function', change: ratio(typed, "test('half', () => {\n  assert.equal(half(4), 2)\n})"), told: [] },
  {
    name: 'a typed arrow',
    change: ratio(
      'export const half = (n: number): number => n / 2\n',
      "test('half', () => {\n  assert.equal(half(4), 2)\n})",
    ),
    told: [],
  },
]
