import { cheats, type GateCase, honestChanges, real, type Tree } from './gate-world.ts'
import { toolchain } from './toolchains.ts'

const system = toolchain('python3')
const source = `def add(a, b):
    return a + b


def legacy(values):
    return sum(values)


def stats(values):
    return {"count": len(values), "total": sum(values)}
`
const four = `    def test_adds(self):
        self.assertEqual(add(1, 2), 3)
        self.assertEqual(add(2, 2), 4)
        self.assertEqual(add(5, 2), 7)
        self.assertEqual(add(0, 0), 0)
`
const gone = `
    def test_legacy(self):
        self.assertEqual(legacy([1, 2, 3]), 6)
`
const head = `import unittest

from app.sums import add, legacy, stats


class Sums(unittest.TestCase):
`
const counts = `
    def test_counts(self):
        one = stats([4])
        self.assertEqual(one["count"], 1)
        self.assertEqual(one["total"], 4)`
const tree = {
  language: 'Python: tests are rewritten',
  isThere: system.isThere,
  files: {
    'app/__init__.py': '',
    'app/sums.py': source,
    'tests/__init__.py': '',
    'tests/test_sums.py': head + four + gone + counts,
  },
  steps: [{ command: `${system.path} python3 -m unittest -v` }],
} satisfies Tree

const own = 'tests/test_sums.py'
const called = `    def test_adds(self):
        self.check(1, 2, 3)
        self.check(2, 2, 4)
        self.check(5, 2, 7)
        self.check(0, 0, 0)
`
const method = `    def check(self, a, b, total):
        self.assertEqual(add(a, b), total)

`
const table = `    def test_adds(self):
        for a, b, total in [(1, 2, 3), (2, 2, 4), (5, 2, 7), (0, 0, 0), (-1, 1, 0)]:
            with self.subTest(a=a, b=b):
                self.assertEqual(add(a, b), total)
`
const honest: readonly GateCase[] = [
  { name: 'a method of assertions is taken out', change: { [own]: [[four, method + called]] }, told: [] },
  { name: 'four assertions become a table with one case more', change: { [own]: [[four, table]] }, told: [] },
  {
    name: 'four assertions become a table at the top of the module',
    change: {
      [own]: [
        [
          '\n\nclass Sums',
          '\nCASES = [\n    (1, 2, 3),\n    (2, 2, 4),\n    (5, 2, 7),\n    (0, 0, 0),\n]\n\n\nclass Sums',
        ],
        [
          four,
          '    def test_adds(self):\n        for a, b, total in CASES:\n            self.assertEqual(add(a, b), total)\n',
        ],
      ],
    },
    told: [],
  },
  {
    name: 'assertions are joined',
    change: {
      [own]: [
        [counts, '\n    def test_counts(self):\n        self.assertEqual(stats([4]), {"count": 1, "total": 4})\n'],
      ],
    },
    told: [],
  },
  { name: 'a test has another name', change: { [own]: [['def test_adds(', 'def test_adds_two_numbers(']] }, told: [] },
  {
    name: 'a test moves into another file',
    change: {
      [own]: [[gone, '']],
      'tests/test_legacy.py': `import unittest\n\nfrom app.sums import legacy\n\n\nclass Legacy(unittest.TestCase):\n${gone.slice(1)}`,
    },
    told: [],
  },
  { name: 'a class of tests has another name', change: { [own]: [['class Sums(', 'class OfSums(']] }, told: [] },
  {
    name: 'a function is removed with its test',
    change: {
      'app/sums.py': [['def legacy(values):\n    return sum(values)\n\n\n', '']],
      [own]: [
        [gone, ''],
        ['add, legacy, stats', 'add, stats'],
      ],
    },
    told: ['tests_removed'],
  },
  {
    name: 'what is written is flushed at the end',
    change: {
      'app/log.py':
        'import atexit\nimport shutil\nimport tempfile\n\nfolder = tempfile.mkdtemp()\natexit.register(shutil.rmtree, folder, ignore_errors=True)\n',
    },
    told: ['no_tests'],
  },
]
const weakened: readonly GateCase[] = [
  {
    name: 'a method that asserts nothing',
    change: { [own]: [[four, method.replace('self.assertEqual(add(a, b), total)', 'add(a, b)') + called]] },
    told: ['fewer_assertions'],
  },
  {
    name: 'a table that nobody reads',
    change: { [own]: [[four, table.replace('(-1, 1, 0)]:', '(-1, 1, 0)][4:]:')]] },
    told: ['fewer_assertions'],
  },
  {
    name: 'an assertion that holds for more',
    change: { [own]: [['self.assertEqual(add(5, 2), 7)', 'self.assertGreaterEqual(add(5, 2), 7)']] },
    told: ['expectation_changed'],
  },
]

honestChanges(tree, real, honest)
cheats(
  tree,
  real,
  weakened.map((row) => ({ ...row, asked: { assurance: 'standard' } })),
)

const runner = toolchain('pytest', '.pyenv/versions')
const pytest: Tree = {
  ...tree,
  language: 'Python (pytest): tests are rewritten',
  files: {
    'app/__init__.py': '',
    'app/sums.py': source,
    'tests/__init__.py': '',
    'tests/test_sums.py': `from app.sums import add, legacy


def test_adds():
    assert add(1, 2) == 3
    assert add(2, 2) == 4
    assert add(5, 2) == 7


def test_legacy():
    assert legacy([1, 2, 3]) == 6


def test_none():
    assert legacy([]) == 0
`,
  },
  asked: { readOnlyPaths: runner.readOnlyPaths },
  steps: [{ command: `${runner.path} pytest -v` }],
  isThere: runner.isThere,
}
const asserted = '    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n    assert add(5, 2) == 7\n'
const classes = `import unittest

from app.sums import add, legacy


class Sums(unittest.TestCase):
${four}${gone}`
const functions = `from app.sums import add, legacy


def test_adds():
    assert add(1, 2) == 3
    assert add(2, 2) == 4
    assert add(5, 2) == 7
    assert add(0, 0) == 0


def test_legacy():
    assert legacy([1, 2, 3]) == 6
`
const raising = `import pytest

from app.sums import legacy


@pytest.mark.parametrize("values, total", [([1, 2], 3), ([4], 4)])
def test_all(values, total):
    assert legacy(values) == total


def test_refuses():
    with pytest.raises(TypeError):
        legacy(1)
`
honestChanges(pytest, real, [
  {
    name: 'a class of unittest becomes functions',
    base: { [own]: classes },
    change: { [own]: functions },
    told: [],
  },
  {
    name: 'functions become a class of unittest',
    base: { [own]: functions },
    change: { [own]: classes },
    told: [],
  },
  {
    name: 'functions become a class',
    base: { [own]: raising },
    change: {
      [own]: raising
        .replace(
          /^(?:def|@| {4}).*(?:\n|$)/gm,
          (line) =>
            `    ${line.replace('def test_refuses()', 'def test_refuses(self)').replace('test_all(', 'test_all(self, ')}`,
        )
        .replace('    @pytest', 'class TestSums:\n    @pytest'),
    },
    told: [],
  },
  {
    name: 'a test file moves into a folder',
    base: { [own]: raising },
    change: { [own]: null, 'tests/unit/__init__.py': '', 'tests/unit/test_sums.py': raising },
    told: [],
  },
  {
    name: 'a formatter lays out sources and tests anew',
    base: { [own]: raising },
    change: {
      [own]: [
        [
          '"values, total", [([1, 2], 3), ([4], 4)]',
          "\n    'values, total',\n    [\n        ([1, 2], 3),\n        ([4], 4),\n    ],\n",
        ],
      ],
      'app/sums.py': [
        [
          '{"count": len(values), "total": sum(values)}',
          "{\n        'count': len(values),\n        'total': sum(values),\n    }",
        ],
      ],
    },
    told: [],
  },
  {
    name: 'a table of parameters',
    change: {
      [own]: [
        ['from app', 'import pytest\n\nfrom app'],
        [
          `def test_adds():\n${asserted}`,
          '@pytest.mark.parametrize("a, b, total", [(1, 2, 3), (2, 2, 4), (5, 2, 7), (0, 0, 0)])\ndef test_adds(a, b, total):\n    assert add(a, b) == total\n',
        ],
      ],
    },
    told: [],
  },
  {
    name: 'a helper of assertions',
    change: {
      [own]: [
        [
          `def test_adds():\n${asserted}`,
          'def check(a, b, total):\n    assert add(a, b) == total\n\n\ndef test_adds():\n    check(1, 2, 3)\n    check(2, 2, 4)\n    check(5, 2, 7)\n',
        ],
      ],
    },
    told: [],
  },
])
cheats(pytest, real, [
  {
    name: 'functions become a class that asks a fake, while the source breaks',
    base: { [own]: raising },
    change: {
      'app/sums.py': [
        ['def legacy(values):\n    return sum(values)', 'def legacy(values):\n    return sum(values[:1])'],
      ],
      [own]: null,
      'tests/test_all.py': raising.replace('from app.sums import legacy', 'legacy = sum'),
    },
    told: ['behaviour_changed'],
    asked: { refactor: true },
  },
  {
    name: 'a test moves without one of its rows',
    base: { [own]: raising },
    change: { [own]: null, 'tests/test_all.py': raising.replace('([1, 2], 3), ', '') },
    told: ['tests_removed', 'tests_renamed'],
  },
  {
    name: 'a test that raises moves without what it expects',
    base: { [own]: raising },
    change: { [own]: null, 'tests/test_all.py': raising.replace('TypeError', 'Exception') },
    told: ['tests_removed', 'tests_renamed'],
  },
])
