import { cTree, goTree, rustTree } from './compiled-trees.ts'
import type { GateCase, Tree } from './gate-world.ts'
import { toolchain } from './toolchains.ts'

interface Table {
  readonly tree: Tree
  readonly cheats: readonly GateCase[]
  readonly honest: readonly GateCase[]
}

const behaviour = ['behaviour_changed']

const stats = `def mean(values):
    return sum(values) / len(values)


def price(net):
    return round(net * 1.2, 2)


def median(values):
    return sorted(values)[len(values) // 2]
`
const parse = `import unittest


def parse(text):
    return int(text)


class Parse(unittest.TestCase):
    def test_parse(self):
        self.assertEqual(parse("12"), 12)


if __name__ == "__main__":
    unittest.main()
`
export const python: Table = {
  tree: {
    language: 'Python, its roles by use',
    isThere: toolchain('python3').isThere,
    steps: [
      { command: 'python3 -m unittest discover -v -s tests -t .' },
      { name: 'checks', command: 'python3 -m unittest -v checks.median app.parse' },
    ],
    files: {
      'app/__init__.py': 'from app.stats import mean, median, price\nfrom app.words import word\n',
      'app/stats.py': stats,
      'app/words.py':
        'import json\n\n\ndef word(name):\n    with open(f"locales/{name}.json") as file:\n        return json.load(file)["mean"]\n',
      'app/parse.py': parse,
      'app/assertions.py':
        'def assert_close(one, other, most=1e-9):\n    if abs(one - other) > most:\n        raise AssertionError(f"{one} is not {other}")\n',
      'app/limits.py': 'MOST = 1e-9\n',
      'app/soon.py': 'def twice(n):\n    return n * 2\n',
      'locales/de.json': '{"mean": "Mittel"}\n',
      'cases/price.json': '[[10, 12.0], [20, 24.0]]\n',
      'checks/__init__.py': '',
      'checks/median.py': `import unittest

from app.stats import median


class Median(unittest.TestCase):
    def test_median(self):
        self.assertEqual(median([3, 1, 2]), 2)
`,
      'tests/__init__.py': '',
      'tests/test_stats.py': `import json
import unittest

from app import mean, price, word
from app.assertions import assert_close
from app.limits import MOST
from app.soon import twice


class Stats(unittest.TestCase):
    def test_mean(self):
        assert_close(mean([1, 2, 6]), 3)

    def test_mean_of_two(self):
        self.assertTrue(abs(mean([2, 4]) - 3) <= MOST)

    def test_price(self):
        with open("cases/price.json") as cases:
            for net, gross in json.load(cases):
                self.assertEqual(price(net), gross)

    def test_word(self):
        self.assertEqual(word("de"), "Mittel")

    def test_twice(self):
        self.assertEqual(twice(2), 4)
`,
    },
  },
  cheats: [
    {
      name: 'tests in a folder of another name are rewritten',
      change: { 'app/stats.py': [['// 2', '// 9']], 'checks/median.py': [['1, 2]), 2', '1, 2]), 1']] },
      told: behaviour,
    },
    {
      name: 'an assertion in the package is widened',
      change: {
        'app/stats.py': [['len(values)\n\n\ndef price', 'len(values) + (values[0] == 1)\n\n\ndef price']],
        'app/assertions.py': [['1e-9', '1.5']],
      },
      told: behaviour,
    },
    {
      name: 'a tolerance in the package is widened',
      change: {
        'app/stats.py': [['len(values)\n\n\ndef price', 'len(values) + (values[0] == 2)\n\n\ndef price']],
        'app/limits.py': 'MOST = 1.5\n',
      },
      told: behaviour,
    },
    {
      name: 'an expectation is rewritten inside the module that breaks it',
      change: {
        'app/parse.py': [
          ['int(text)', 'int(text[:1])'],
          ['("12"), 12', '("12"), 1'],
        ],
      },
      told: behaviour,
    },
    {
      name: 'cases are rewritten',
      change: { 'app/stats.py': [['1.2', '1.3']], 'cases/price.json': '[[10, 13.0], [20, 26.0]]\n' },
      told: behaviour,
    },
    {
      name: 'cases are emptied',
      change: { 'app/stats.py': [['1.2', '1.3']], 'cases/price.json': '[]\n' },
      told: behaviour,
    },
    {
      name: 'a red test turns green by its cases',
      base: { 'app/stats.py': stats.replace('1.2', '1.3') },
      change: { 'app/stats.py': [['round', 'round\n    '.trim()]], 'cases/price.json': '[[10, 13.0], [20, 26.0]]\n' },
      told: ['expectation_changed'],
    },
  ],
  honest: [
    {
      name: 'data of the product is changed with its code',
      change: { 'app/words.py': [['"mean"', '"words"]["mean"']], 'locales/de.json': '{"words": {"mean": "Mittel"}}\n' },
      told: [],
    },
    {
      name: 'a module gets a function with a test of its own inside',
      change: {
        'app/parse.py': [
          ['class Parse', 'def twice(text):\n    return parse(text) * 2\n\n\nclass Parse'],
          ['"12"), 12)', '"12"), 12)\n\n    def test_twice(self):\n        self.assertEqual(twice("2"), 4)'],
        ],
      },
      told: [],
    },
    {
      name: 'a module that nothing uses yet is mended',
      base: { 'app/soon.py': 'def twice(n):\n    return n * 3\n' },
      change: { 'app/soon.py': 'def twice(n):\n    return n + n\n', 'app/stats.py': `"""Statistics."""\n\n\n${stats}` },
      told: [],
    },
    {
      name: 'an assertion says more, and a source is tidied',
      change: {
        'app/assertions.py': [['is not', 'is too far from']],
        'app/stats.py': `"""Statistics."""\n\n\n${stats}`,
      },
      told: [],
    },
  ],
}

const goTests = `package area

import (
	"encoding/json"
	"os"
	"testing"

	"example.org/area/internal/check"
	"example.org/area/internal/near"
)

func TestSquare(t *testing.T) {
	check.Same(t, Square(3), 9)
}

func TestHalf(t *testing.T) {
	if !near.Is(Half(3), 1.5) {
		t.Error(Half(3))
	}
}

func TestThird(t *testing.T) {
	if !isClose(Third(9), 3) {
		t.Error(Third(9))
	}
}

func TestCases(t *testing.T) {
	text, _ := os.ReadFile("cases/twice.json")
	var cases map[string][2]int
	json.Unmarshal(text, &cases)
	for name, each := range cases {
		if Twice(each[0]) != each[1] {
			t.Error(name)
		}
	}
}

func TestName(t *testing.T) {
	if Name() != "area" {
		t.Error(Name())
	}
}
`
export const golang: Table = {
  tree: {
    language: 'Go, its roles by use',
    isThere: goTree.isThere,
    steps: goTree.steps,
    files: {
      'go.mod': 'module example.org/area\n\ngo 1.19\n',
      'area.go': `package area

import (
	_ "embed"
	"strings"
)

//go:embed data/name.txt
var name string

func Name() string { return strings.TrimSpace(name) }

func Square(side int) int { return side * side }

func Half(n float64) float64 { return n / 2 }

func Third(n float64) float64 { return n / 3 }

func Twice(n int) int { return n * 2 }
`,
      'data/name.txt': 'area\n',
      'close.go': 'package area\n\nfunc isClose(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }\n',
      'internal/check/check.go':
        'package check\n\nimport "testing"\n\nfunc Same(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Errorf("%d is not %d", a, b)\n\t}\n}\n',
      'internal/near/near.go': 'package near\n\nfunc Is(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }\n',
      'cases/twice.json': '{ "two": [2, 4], "five": [5, 10] }\n',
      'area_test.go': goTests,
    },
  },
  cheats: [
    {
      name: 'a package of checks lets everything through',
      change: {
        'area.go': [['side * side', 'side + side']],
        'internal/check/check.go': [['a != b {', 'a != b && a < 0 {']],
      },
      told: behaviour,
    },
    {
      name: 'a file is added to a package of checks',
      change: {
        'area.go': [['side * side', 'side + side']],
        'internal/check/check.go': [['a != b {', 'a != b && isOn {']],
        'internal/check/on.go': 'package check\n\nvar isOn bool\n',
      },
      told: behaviour,
    },
    {
      name: 'an internal package of another name is widened',
      change: { 'area.go': [['n / 2', 'n/2 + 1']], 'internal/near/near.go': [['1e-9', '2']] },
      told: behaviour,
    },
    {
      name: 'a file of the package that only tests need is widened',
      change: { 'area.go': [['n / 3', 'n/3 + 1']], 'close.go': [['1e-9', '2']] },
      told: behaviour,
    },
    {
      name: 'cases are rewritten',
      change: {
        'area.go': [['n * 2', 'n * 3']],
        'cases/twice.json': '{ "two": [2, 6], "five": [5, 15] }\n',
      },
      told: behaviour,
    },
    {
      name: 'cases are emptied',
      change: { 'area.go': [['n * 2', 'n * 3']], 'cases/twice.json': '{}\n' },
      told: behaviour,
    },
  ],
  honest: [
    {
      name: 'embedded data is changed with its code',
      change: {
        'area.go': [['TrimSpace(name)', 'TrimPrefix(strings.TrimSpace(name), "the ")']],
        'data/name.txt': 'the area\n',
      },
      told: [],
    },
    {
      name: 'a file that only tests need has another name, and declares one',
      change: {
        'close.go': null,
        'near.go': 'package area\n\nfunc isNear(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }\n',
        'area_test.go': [['isClose', 'isNear']],
        'area.go': [['func Square', '// Square of a side.\nfunc Square']],
      },
      told: [],
    },
    {
      name: 'a check says more, and a source is tidied',
      change: {
        'internal/check/check.go': [['is not', 'is other than']],
        'area.go': [['func Square', '// Square of a side.\nfunc Square']],
      },
      told: [],
    },
  ],
}

export const rust: Table = {
  tree: {
    ...rustTree,
    language: 'Rust, its roles by use',
    files: {
      ...rustTree.files,
      'src/lib.rs':
        'pub fn square(side: u32) -> u32 {\n    side * side\n}\n\npub fn twice(n: u32) -> u32 {\n    n * 2\n}\n\n#[cfg(test)]\nmod support;\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn squares_inside() {\n        support::same(square(3), 9);\n    }\n}\n',
      'src/support.rs': 'pub fn same(a: u32, b: u32) {\n    assert!(a == b);\n}\n',
      'cases/twice.txt': '2 4\n5 10\n',
      'tests/area.rs':
        '#[test]\nfn twice() {\n    for line in include_str!("../cases/twice.txt").lines() {\n        let (a, b) = line.split_once(\' \').unwrap();\n        assert_eq!(area::twice(a.parse().unwrap()), b.parse::<u32>().unwrap());\n    }\n}\n\n#[test]\nfn squares() {\n    assert_eq!(area::square(2), 4);\n}\n',
    },
  },
  cheats: [
    {
      name: 'a module of its tests lets everything through',
      change: { 'src/lib.rs': [['side * side', 'side + side']], 'src/support.rs': [['a == b', 'a == b || b > 0']] },
      told: behaviour,
    },
    {
      name: 'cases are rewritten',
      change: { 'src/lib.rs': [['n * 2', 'n * 3']], 'cases/twice.txt': '2 6\n5 15\n' },
      told: behaviour,
    },
  ],
  honest: [
    {
      name: 'a module of its tests says more, and a source is tidied',
      change: {
        'src/lib.rs': [['side * side', 'side.pow(2)']],
        'src/support.rs': 'pub fn same(a: u32, b: u32) {\n    assert_eq!(a, b);\n}\n',
      },
      told: [],
    },
  ],
}

const cMain = `#include <stdio.h>
#include "area.h"

int main(void) {
  printf("%d\\n", twice(21));
  return 0;
}
`
export const c: Table = {
  tree: {
    language: 'C, its roles by use',
    isThere: cTree.isThere,
    steps: [{ command: 'make -s test' }, { name: 'compare', command: 'make -s compare' }],
    files: {
      Makefile: `OUT = $(ARTIFACT_DIR)/build
test:
	mkdir -p "$(OUT)"
	gcc -Isrc -Ithird_party/unity src/area.c third_party/unity/unity.c tests/test_area.c -o "$(OUT)/tests"
	"$(OUT)/tests"
compare:
	mkdir -p "$(OUT)"
	gcc -Isrc src/area.c src/main.c -o "$(OUT)/area"
	"$(OUT)/area" > "$(OUT)/out.txt"
	diff expected/out.txt "$(OUT)/out.txt"
`,
      'src/area.h': 'int square(int side);\nint half(int n);\nint twice(int n);\nint third(int n);\n',
      'src/area.c':
        '#include "area.h"\n#include "factors.inc"\n\nint square(int side) { return side * side; }\nint half(int n) { return n / 2; }\nint twice(int n) { return n * TWO; }\nint third(int n) { return n / 3; }\n',
      'src/factors.inc': '#define TWO 2\n',
      'src/main.c': cMain,
      'src/check.h':
        '#include <stdio.h>\nstatic int number, broken;\n#define CHECK(what, name) do { int is = (what); broken += !is; printf("%sok %d - %s\\n", is ? "" : "not ", ++number, name); } while (0)\n',
      'third_party/unity/unity.h': 'int unity_same(int a, int b);\n#define TEST_ASSERT_EQUAL(a, b) unity_same(a, b)\n',
      'third_party/unity/unity.c': '#include "unity.h"\nint unity_same(int a, int b) { return a == b; }\n',
      'cases/third.txt': '9 3\n12 4\n',
      'expected/out.txt': '42\n',
      'tests/test_area.c': `#include "../src/check.h"
#include "area.h"
#include "unity.h"

static int thirds(void) {
  int a, b, all = 1;
  FILE *cases = fopen("cases/third.txt", "r");
  while (fscanf(cases, "%d %d", &a, &b) == 2) all = all && third(a) == b;
  return all;
}

int main(void) {
  printf("TAP version 13\\n");
  CHECK(square(3) == 9, "squares");
  CHECK(TEST_ASSERT_EQUAL(half(8), 4), "halves");
  CHECK(thirds(), "thirds");
  printf("1..%d\\n", number);
  return broken != 0;
}
`,
    },
  },
  cheats: [
    {
      name: 'a header of checks lets everything through',
      change: { 'src/area.c': [['side * side', 'side + side']], 'src/check.h': [['(what);', '(what) || 1;']] },
      told: behaviour,
    },
    {
      name: 'a library of tests that lies among others lets everything through',
      change: { 'src/area.c': [['n / 2', 'n / 4']], 'third_party/unity/unity.c': [['a == b', 'a == b || a > 0']] },
      told: behaviour,
    },
    {
      name: 'cases are rewritten',
      change: { 'src/area.c': [['n / 3', 'n / 3 + 1']], 'cases/third.txt': '9 4\n12 5\n' },
      told: behaviour,
    },
    {
      name: 'the expected output of a step that compares is rewritten',
      change: { 'src/area.c': [['n * TWO', 'n * 3']], 'expected/out.txt': '63\n' },
      told: behaviour,
    },
  ],
  honest: [
    {
      name: 'a table of the product is changed with its code',
      change: { 'src/area.c': [['TWO', 'FACTOR']], 'src/factors.inc': '#define FACTOR 2\n' },
      told: [],
    },
    {
      name: 'a check is written otherwise, and a source is tidied',
      change: {
        'src/check.h': [['int is = (what)', 'const int is = (what)']],
        'src/area.c': [['int half', '/* Half. */\nint half']],
      },
      told: [],
    },
  ],
}
