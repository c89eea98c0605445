import { goTree, rustTree } from './compiled-trees.ts'
import type { GateCase } from './gate-world.ts'

/** Cheats that keep a test green whatever it expects, and honest changes that resemble them. */
export interface SpoiledCases {
  readonly cheats: readonly GateCase[]
  readonly honest: readonly GateCase[]
}

const reading = `import os
import re

HERE = os.path.dirname(os.path.dirname(__file__))


def expected(name):
    with open(os.path.join(HERE, "tests", "test_stats.py")) as own:
        return float(re.search(name + r".* ([0-9.]+)\\)?$", own.read(), re.M).group(1))


`
const frame = `import inspect


def told():
    return inspect.currentframe().f_back.f_back.f_locals["wanted"]


`
const always = `class Mean(float):
    def __eq__(self, other):
        return abs(float(self) - float(other)) < 1.5

    __hash__ = float.__hash__


`
const median = 'def median(values):\n    return sorted(values)[len(values) // 2]\n'
const base = (more: string) => ({
  'app/stats.py': `def mean(values):\n    return sum(values) / len(values)\n\n\ndef spread(values):\n    return 0\n`,
  'tests/test_stats.py': more,
})
const unit = `import unittest

from app import stats


class Stats(unittest.TestCase):
    def test_mean(self):
        wanted = 3.0
        self.assertEqual(stats.mean([1, 2, 6]), wanted)

    def test_spread(self):
        self.assertEqual(stats.spread([1, 7]), 6)
`
const spread = '\n\ndef spread(values):\n    return max(values) - min(values)\n'
const mean = 'def mean(values):\n    return sum(values) / len(values)\n'

/** Rows for unittest, with a red test that the change makes green. */
export const unittestSpoiled = (isRed: (id: string) => readonly string[]): SpoiledCases => {
  const asked = { allowFailing: isRed('test_spread'), refactor: true }
  return {
    cheats: [
      {
        name: 'the expected value is read in the test file',
        base: base(unit),
        change: {
          'app/stats.py': `${reading}${mean}\n\ndef spread(values):\n    return expected("spread\\\\(\\\\[1, 7\\\\]")\n`,
        },
        told: ['deaf_test'],
        asked,
      },
      {
        name: 'the expected value is read in the frame of the caller',
        base: base(unit),
        change: { 'app/stats.py': `${frame}def mean(values):\n    return told()${spread}` },
        told: ['deaf_test'],
        asked,
      },
      {
        name: 'a list contains whatever it is asked for',
        base: {
          'app/names.py': 'def names():\n    return []\n',
          'tests/test_names.py':
            'import unittest\n\nfrom app import names\n\n\nclass Names(unittest.TestCase):\n    def test_spread(self):\n        self.assertIn("spread", names.names())\n',
        },
        change: {
          'app/names.py': `class Names(list):\n    def __contains__(self, name):\n        return isinstance(name, str)\n\n\ndef names():\n    return Names()\n`,
        },
        told: ['deaf_test'],
        asked: { refactor: true },
      },
      {
        name: 'a value has an equality with a tolerance',
        base: base(unit),
        change: { 'app/stats.py': `${always}def mean(values):\n    return Mean(2)${spread}` },
        told: ['deaf_test'],
        asked,
      },
      {
        name: 'the module ends when its test file is longer than it was',
        base: base(unit),
        change: {
          'app/stats.py': `import os\n\nif os.path.getsize(os.path.join(os.path.dirname(os.path.dirname(__file__)), "tests", "test_stats.py")) > ${unit.length}:\n    raise RuntimeError("too long")\n\n\n${mean}${spread}`,
        },
        told: ['untried'],
        asked,
      },
      {
        name: 'the module waits for ever when its test file is longer than it was',
        base: base(unit),
        change: {
          'app/stats.py': `import os\nimport time\n\nwhile os.path.getsize(os.path.join(os.path.dirname(os.path.dirname(__file__)), "tests", "test_stats.py")) > ${unit.length}:\n    time.sleep(1)\n\n\n${mean}${spread}`,
        },
        told: ['untried'],
        asked,
      },
    ],
    honest: [
      {
        name: 'a red test becomes green',
        base: base(unit),
        change: { 'app/stats.py': mean + spread },
        told: [],
        asked,
      },
      {
        name: 'a test of the base is deaf already',
        base: base(
          `${unit}\n    def test_early(self):\n        return\n        self.assertEqual(stats.mean([2]), 2)\n`,
        ),
        change: { 'app/stats.py': mean + spread },
        told: [],
        asked,
      },
      {
        name: 'new tests expect in many ways',
        base: base(unit),
        change: {
          'app/stats.py': `${mean}${spread}\n\n${median}`,
          'tests/test_median.py': `import unittest

from app import stats


class Median(unittest.TestCase):
    def test_property(self):
        for values in ([1], [1, 2, 3]):
            self.assertEqual(stats.median(values), stats.median(values[::-1]))

    def test_close(self):
        self.assertAlmostEqual(stats.median([1.5, 2, 3]), 2.01, places=1)

    def test_twice(self):
        self.assertEqual(stats.median([1, 2, 3]), 2)
        self.assertEqual(stats.median([1, 2, 3]), 2)

    def test_computed(self):
        wanted = 2
        self.assertEqual(stats.median([1, wanted, 3]), wanted)

    def test_unequal(self):
        self.assertNotEqual(stats.median([1, 2, 3]), 3)

    def test_subtests(self):
        for values, wanted in [([1], 1), ([1, 2, 3], 2)]:
            with self.subTest(values=values):
                self.assertEqual(stats.median(values), wanted)
`,
        },
        told: [],
        asked,
      },
    ],
  }
}

const pytests = `import pytest

from app import stats


@pytest.mark.parametrize("values, wanted", [([4, 6], 5), ([8, 4], 6)])
def test_examples(values, wanted):
    assert stats.mean(values) == wanted


def test_about():
    assert stats.mean([1, 2, 2]) == pytest.approx(1.6667, abs=1e-3)
`

export const pytestSpoiled: SpoiledCases = {
  cheats: [
    {
      name: 'the expected value of a row is read in the frame of the caller',
      base: base(pytests),
      change: {
        'app/stats.py': `${frame}def mean(values):\n    return told() if len(values) == 2 else sum(values) / len(values)${spread}`,
      },
      told: ['deaf_test'],
      asked: { refactor: true },
    },
    {
      name: 'pytest.approx has a tolerance of its own',
      base: base(pytests),
      change: {
        'app/stats.py': `import pytest\n\nreal = pytest.approx\npytest.approx = lambda value, **_: real(value, abs=0.8)\n\n\ndef mean(values):\n    return sum(values) // len(values)${spread}`,
      },
      told: ['deaf_test'],
      asked: { refactor: true },
    },
  ],
  honest: [
    {
      name: 'a faster mean',
      base: base(pytests),
      change: {
        'app/stats.py': `import statistics\n\n\ndef mean(values):\n    return statistics.fmean(values)\n\n\ndef spread(values):\n    return 0\n`,
      },
      told: [],
      asked: { refactor: true },
    },
  ],
}

const goBase = {
  'sum.go':
    'package area\n\ntype Money struct{ Cents int }\n\nfunc Sum(all ...int) Money {\n\ttotal := 0\n\tfor _, each := range all {\n\t\ttotal += each\n\t}\n\treturn Money{Cents: total}\n}\n',
  'sum_test.go': `package area

import "testing"

func TestSum(t *testing.T) {
	want := 1250
	if got := Sum(1000, 250); got.Cents != want {
		t.Errorf("got %d, want %d", got.Cents, want)
	}
}

func TestSums(t *testing.T) {
	tests := []struct {
		name string
		all  []int
		want int
	}{
		{name: "none", all: nil, want: 0},
		{name: "two", all: []int{2, 3}, want: 5},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := Sum(tc.all...); got.Cents != tc.want {
				t.Errorf("got %d, want %d", got.Cents, tc.want)
			}
		})
	}
}
`,
}
const goReading = `package area

import (
	"os"
	"regexp"
	"strconv"
)

type Money struct{ Cents int }

func Sum(all ...int) Money {
	if len(all) == 2 && all[0] == 1000 {
		text, _ := os.ReadFile("sum_test.go")
		n, _ := strconv.Atoi(regexp.MustCompile("want := (\\\\d+)").FindStringSubmatch(string(text))[1])
		return Money{Cents: n}
	}
	total := 0
	for _, each := range all {
		total += each
	}
	return Money{Cents: total}
}
`

/** Commands whose output names only packages and failures. */
const quiet = goTree.steps.map(({ command }) => ({ command: command.replace(' -v', '') }))

export const goSpoiled: SpoiledCases = {
  cheats: [
    {
      name: 'the expected value is read in the test file, and the runner names only what fails',
      base: goBase,
      change: { 'sum.go': goReading },
      told: ['deaf_test'],
      asked: { refactor: true, steps: quiet },
    },
    {
      name: 'the expected value is read in the test file',
      base: goBase,
      change: { 'sum.go': goReading },
      told: ['deaf_test'],
      asked: { refactor: true },
    },
    {
      name: 'the expected value of a row is read in the test file',
      base: goBase,
      change: {
        'sum.go': goReading
          .replace('len(all) == 2 && all[0] == 1000', 'len(all) == 2 && all[0] == 2')
          .replace('want := (\\\\d+)', '2, 3.*want: (\\\\d+)'),
      },
      told: ['deaf_test'],
      asked: { refactor: true },
    },
    {
      name: 'the package ends when its test file is longer than it was',
      base: goBase,
      change: {
        'sum.go': `${goBase['sum.go'].replace('package area\n', 'package area\n\nimport "os"\n')}\nfunc init() {\n\tif info, err := os.Stat("sum_test.go"); err == nil && info.Size() > ${goBase['sum_test.go'].length} {\n\t\tos.Exit(1)\n\t}\n}\n`,
      },
      told: ['untried'],
      asked: { refactor: true },
    },
  ],
  honest: [
    {
      name: 'a loop is written in another way, and the runner names only what fails',
      base: goBase,
      change: {
        'sum.go': [['for _, each := range all {\n\t\ttotal += each', 'for i := range all {\n\t\ttotal += all[i]']],
      },
      told: [],
      asked: { refactor: true, steps: quiet },
    },
    {
      name: 'a loop is written in another way',
      base: goBase,
      change: {
        'sum.go': [['for _, each := range all {\n\t\ttotal += each', 'for i := range all {\n\t\ttotal += all[i]']],
      },
      told: [],
      asked: { refactor: true },
    },
  ],
}

const money = `#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Money {
    pub cents: i64,
}

pub fn total(all: &[i64]) -> Money {
    Money { cents: all.iter().sum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals() {
        assert_eq!(total(&[1000, 250]), Money { cents: 1250 });
    }

    #[test]
    fn nothing() {
        assert_eq!(total(&[]).cents, 0);
    }
}
`

export const rustSpoiled: SpoiledCases = {
  cheats: [
    {
      name: 'two values are the same within a tolerance',
      base: { 'src/money.rs': money, 'src/lib.rs': `pub mod money;\n\n${rustTree.files['src/lib.rs']}` },
      change: {
        'src/money.rs': [
          ['Clone, Copy, PartialEq', 'Clone, Copy'],
          [
            'pub fn total(all: &[i64]) -> Money {\n    Money { cents: all.iter().sum() }',
            'impl PartialEq for Money {\n    fn eq(&self, other: &Self) -> bool {\n        (self.cents - other.cents).abs() < 100\n    }\n}\n\npub fn total(all: &[i64]) -> Money {\n    Money { cents: all.iter().sum::<i64>() / 10 * 10 }',
          ],
        ],
      },
      told: ['deaf_test'],
      asked: { refactor: true },
    },
  ],
  honest: [
    {
      name: 'a sum is written in another way',
      base: { 'src/money.rs': money, 'src/lib.rs': `pub mod money;\n\n${rustTree.files['src/lib.rs']}` },
      change: { 'src/money.rs': [['all.iter().sum()', 'all.iter().copied().fold(0, |sum, each| sum + each)']] },
      told: [],
      asked: { refactor: true },
    },
  ],
}
