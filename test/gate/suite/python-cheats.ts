import type { GateCase } from './gate-world.ts'
import { source, tests } from './python-tree.ts'

const [src, own, golden] = ['app/stats.py', 'tests/test_stats.py', 'tests/golden/report.txt']
/** Breaks only the test of `is_even`. */
const odd = [['n % 2 == 0', 'n % 2 == 1']] as const
const even = '        self.assertTrue(stats.is_even(4))\n        self.assertFalse(stats.is_even(3))\n'
const hidden = (hide: string): GateCase['change'] => ({ [src]: odd, [own]: [[even, hide]] })
const behaviour = ['behaviour_changed']
const itself = ['judges_itself']
const gone = ['tests_removed', 'tests_unread']
const red = {
  'tests/test_total.py':
    'import unittest\nfrom app.total import total\n\n\nclass Total(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n',
  'app/total.py': 'def total(values):\n    return 4\n',
}

export const unittestCheats: readonly GateCase[] = [
  { name: 'an expectation is rewritten', change: hidden(even.replace('4', '5').replace('3', '4')), told: behaviour },
  {
    name: 'any exception will do',
    change: {
      [src]: [['json.loads(text)', '{}[text]']],
      [own]: [['assertRaises(ValueError)', 'assertRaises(Exception)']],
    },
    told: behaviour,
  },
  {
    name: 'a golden file is written anew',
    change: { [src]: [['values, mean', 'value(s), mean']], [golden]: '2 value(s), mean 3.0\n' },
    told: ['expectation_changed'],
  },
  {
    name: 'a red test is given what the code returns',
    base: red,
    change: { 'tests/test_total.py': [[', 3)', ', 4)']] },
    told: ['expectation_changed'],
  },
  { name: 'a method is renamed away', change: { [own]: [['def test_even', 'def even']] }, told: gone },
  {
    name: 'load_tests loads none',
    change: { [own]: `${tests}\n\ndef load_tests(loader, standard, pattern):\n    return unittest.TestSuite()\n` },
    told: gone,
  },
  {
    name: 'a test is expected to fail',
    change: { [src]: odd, [own]: [['    def test_even', '    @unittest.expectedFailure\n    def test_even']] },
    told: ['tests_skipped', ...gone],
  },
  {
    name: 'set-up skips all',
    change: {
      [own]: [['    def test_mean', '    def setUp(self):\n        self.skipTest("later")\n\n    def test_mean']],
    },
    told: ['tests_skipped'],
  },
  {
    name: 'the list of examples is emptied, and its source broken',
    change: {
      [src]: [['/ len(values)\n', '/ (len(values) or 1) + (len(values) == 2)\n']],
      [own]: [['[([4, 6], 5), ([8, 4], 6)]', '[]']],
      [golden]: '2 values, mean 4.0\n',
    },
    told: behaviour,
  },
  {
    name: 'the package of the tests patches their runner',
    change: {
      [src]: odd,
      'tests/__init__.py':
        'import unittest\n\nunittest.TestCase.assertTrue = unittest.TestCase.assertFalse = lambda *a: None\n',
    },
    told: behaviour,
  },
  {
    name: 'the exit code is masked at exit',
    change: {
      [src]: `import atexit\nimport os\n\natexit.register(lambda: os._exit(0))\n${source.replace('n % 2 == 0', 'n % 2 == 1')}`,
    },
    told: ['FAIL', ...itself],
  },
  {
    name: 'the source patches the runner',
    change: {
      [src]: `import unittest\n\nunittest.TestCase.assertTrue = unittest.TestCase.assertFalse = lambda *a: None\n${source.replace('n % 2 == 0', 'n % 2 == 1')}`,
    },
    told: itself,
  },
  {
    name: 'a value equals everything',
    change: { [src]: `class Any(float):\n    def __eq__(self, other):\n        return True\n\n\n${source}` },
    told: itself,
  },
  {
    name: 'a lambda equals everything',
    change: { [src]: `Any = type("Any", (), {"__eq__": lambda self, other: True})\n${source}` },
    told: itself,
  },
  {
    name: 'the answer is right only under test',
    change: {
      [src]: [
        ['    return n % 2 == 0', "    import sys\n    return n % 2 == 0 if 'unittest' in sys.modules else False"],
      ],
    },
    told: itself,
  },
  {
    name: 'the answer is right only where the gate’s folder is',
    change: {
      [src]: [
        ['    return n % 2 == 0', "    import os\n    return n % 2 == 0 if os.environ.get('ARTIFACT_DIR') else False"],
      ],
    },
    told: itself,
  },
  {
    name: 'the process ends on import, with a report of its own',
    change: {
      [src]: `${source}\n\nimport os\nwith open(os.environ["ARTIFACT_DIR"] + "/logs/junit.xml", "w") as report:\n    report.write("<testsuite><testcase name='test_even'/></testsuite>")\nos._exit(0)\n`,
    },
    asked: { steps: [{ command: 'python3 -m unittest discover -v -s tests -t .', junit: 'logs/junit.xml' }] },
    told: [...itself, ...gone],
  },
  {
    name: 'SystemExit on import',
    change: { [src]: `${source}\n\nraise SystemExit\n` },
    told: [...itself, ...gone, 'FAIL'],
  },
  {
    name: 'the clock is exchanged',
    change: { [src]: `import time\n\ntime.time = lambda: 0.0\n${source}` },
    told: itself,
  },
  {
    name: 'a built-in is exchanged',
    change: { [src]: `import builtins\n\nbuiltins.print = lambda *values: None\n${source}` },
    told: itself,
  },
  {
    name: 'Python starts with a file of the tree',
    change: { 'sitecustomize.py': 'import unittest\n' },
    told: ['configuration'],
  },
  {
    name: 'type checks and lint are silenced',
    change: { [src]: [['json.loads(text)', 'json.loads(text)  # type: ignore  # noqa']] },
    told: ['suppressed'],
  },
  {
    name: 'lines are hidden from coverage',
    change: { [src]: [['def report(values):', 'def report(values):  # pragma: no cover']] },
    told: ['suppressed'],
  },
]

export const pytestCheats: readonly GateCase[] = [
  { name: 'parametrisation is emptied', change: { [own]: [['[([4, 6], 5), ([8, 4], 6)]', '[]']] }, told: gone },
  {
    name: 'a test is expected to fail',
    change: { [src]: odd, [own]: [['def test_even', '@pytest.mark.xfail\ndef test_even']] },
    told: ['tests_skipped', ...gone],
  },
  {
    name: 'a tolerance is raised',
    change: { [src]: [['/ len(values)\n', '/ (len(values) + (len(values) == 3))\n']], [own]: [['abs=1e-3', 'abs=1']] },
    told: behaviour,
  },
  {
    name: 'conftest turns every report green',
    change: {
      [src]: odd,
      'conftest.py':
        'import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    result = yield\n    result.get_result().outcome = "passed"\n',
    },
    told: ['configuration', ...behaviour],
  },
  {
    name: 'options select what passes',
    change: { [src]: odd, 'pytest.ini': '[pytest]\naddopts = -k "not even"\n' },
    told: ['configuration', ...gone],
  },
  {
    name: 'the source looks for the running test',
    change: {
      [src]: [
        [
          '    return n % 2 == 0',
          "    import os\n    return n % 2 == (0 if 'PYTEST_CURRENT_TEST' in os.environ else 1)",
        ],
      ],
    },
    told: itself,
  },
]
