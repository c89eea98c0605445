import { toolchain } from './toolchains.ts'

export const source = `import json


def mean(values):
    return sum(values) / len(values)


def is_even(n):
    return n % 2 == 0


def load(text):
    return json.loads(text)


def report(values):
    return f"{len(values)} values, mean {mean(values)}"
`
export const tests = `import os
import unittest

from app import stats

HERE = os.path.dirname(__file__)
EXAMPLES = [([4, 6], 5), ([8, 4], 6)]


class Stats(unittest.TestCase):
    def test_mean(self):
        self.assertAlmostEqual(stats.mean([1, 2, 6]), 3, places=4)

    def test_even(self):
        self.assertTrue(stats.is_even(4))
        self.assertFalse(stats.is_even(3))

    def test_load(self):
        with self.assertRaises(ValueError):
            stats.load("{")

    def test_examples(self):
        for values, mean in EXAMPLES:
            with self.subTest(values=values):
                self.assertEqual(stats.mean(values), mean)

    def test_report(self):
        with open(os.path.join(HERE, "golden", "report.txt")) as golden:
            self.assertEqual(stats.report([2, 4]), golden.read().strip())
`
const files = {
  'app/__init__.py': '',
  'app/stats.py': source,
  'tests/__init__.py': '',
  'tests/test_stats.py': tests,
  'tests/golden/report.txt': '2 values, mean 3.0\n',
}
const system = toolchain('python3')
export const tree = {
  language: 'Python (unittest)',
  files,
  isThere: system.isThere,
  steps: [{ command: 'python3 -m unittest discover -v -s tests -t .' }],
}

const pytest = toolchain('pytest', '.pyenv/versions')
export const withPytest = {
  language: 'Python (pytest)',
  isThere: pytest.isThere,
  asked: { readOnlyPaths: pytest.readOnlyPaths },
  steps: [{ command: `${pytest.path} pytest -v` }],
  files: {
    ...files,
    'tests/test_stats.py': `import pytest

from app import stats


@pytest.mark.parametrize("values, mean", [([4, 6], 5), ([8, 4], 6)])
def test_examples(values, mean):
    assert stats.mean(values) == mean


def test_even():
    assert stats.is_even(4)
    assert not stats.is_even(3)


def test_about():
    assert stats.mean([1, 2, 2]) == pytest.approx(1.6667, abs=1e-3)
`,
  },
}
