import { cTree, goTree, rustTree } from './compiled-trees.ts'
import { honestChanges, real } from './gate-world.ts'
import { source, tree } from './python-tree.ts'

const [src, own] = ['app/stats.py', 'tests/test_stats.py']
const total = 'def total(values):\n    return sum(values)\n'
const totals =
  'import unittest\n\nfrom app.total import total\n\n\nclass Total(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n'

honestChanges(tree, real, [
  {
    name: 'a test module of the base that could not be imported',
    base: { 'tests/test_total.py': totals },
    change: { 'app/total.py': total },
    told: [],
  },
  {
    name: 'a fix with its test',
    change: {
      [src]: [['/ len(values)\n', '/ (len(values) or 1)\n']],
      [own]: [
        [
          '    def test_even',
          '    def test_none(self):\n        self.assertEqual(stats.mean([]), 0)\n\n    def test_even',
        ],
      ],
    },
    told: [],
  },
  {
    name: 'a class that compares its members',
    change: {
      [src]: `${source}\n\nclass Sample:\n    def __init__(self, values):\n        self.values = values\n\n    def __eq__(self, other):\n        if not isinstance(other, Sample):\n            return NotImplemented\n        return self.values == other.values\n`,
      'tests/test_sample.py':
        'import unittest\n\nfrom app.stats import Sample\n\n\nclass Samples(unittest.TestCase):\n    def test_equal(self):\n        self.assertEqual(Sample([1]), Sample([1]))\n        self.assertNotEqual(Sample([1]), Sample([2]))\n',
    },
    told: [],
  },
  {
    name: 'a program with its own end',
    change: {
      'app/tool.py':
        'import sys\n\nfrom app.stats import mean\n\n\ndef main():\n    print(mean([float(each) for each in sys.argv[1:]]))\n    sys.exit(0)\n\n\nif __name__ == "__main__":\n    main()\n',
    },
    told: ['no_tests'],
  },
  {
    name: 'a class of tests has another name',
    change: { [own]: [['class Stats(', 'class OfStats(']] },
    told: [],
  },
  {
    name: 'another kind of error, and its test',
    change: {
      [src]: [
        [
          '    return json.loads(text)',
          '    try:\n        return json.loads(text)\n    except ValueError as error:\n        raise KeyError(text) from error',
        ],
      ],
      [own]: [['assertRaises(ValueError)', 'assertRaises(KeyError)']],
    },
    told: ['behaviour_changed'],
  },
])

const cube = '\nfunc Cube(side int) int { return side * side * side }\n'
const cubes =
  'package area\n\nimport "testing"\n\nfunc TestCube(t *testing.T) {\n\tif Cube(2) != 8 {\n\t\tt.Error(Cube(2))\n\t}\n}\n'
const go = goTree.files['area.go']
honestChanges(goTree, real, [
  { name: 'a new function with its test', change: { 'area.go': go + cube, 'cube_test.go': cubes }, told: [] },
  {
    name: 'a package of the base that could not be built',
    base: { 'cube_test.go': cubes },
    change: { 'area.go': go + cube },
    told: [],
  },
  {
    name: 'a command that ends with its exit code',
    change: {
      'cmd/area/main.go':
        'package main\n\nimport "os"\n\nfunc main() {\n\tif len(os.Args) > 1 {\n\t\tos.Exit(2)\n\t}\n\tos.Exit(0)\n}\n',
    },
    told: ['no_tests'],
  },
])

const lib = rustTree.files['src/lib.rs']
honestChanges(rustTree, real, [
  {
    name: 'a function with a test in the same file',
    change: {
      'src/lib.rs': lib
        .replace('#[cfg(test)]', 'pub fn cube(side: u32) -> u32 {\n    side * square(side)\n}\n\n#[cfg(test)]')
        .replace(
          '    #[test]\n',
          '    #[test]\n    fn cubes() {\n        assert_eq!(cube(2), 8);\n    }\n\n    #[test]\n',
        ),
    },
    told: [],
  },
  { name: 'a refactoring', change: { 'src/lib.rs': [['side * side\n', 'side.pow(2)\n']] }, told: [] },
])

const test = 'tests/test_area.c'
honestChanges(cTree, real, [
  {
    name: 'a function, its prototype and its test',
    change: {
      'include/area.h': [['int is_even', 'int cube(int side);\nint is_even']],
      'src/area.c': [['int is_even', 'int cube(int side) { return side * square(side); }\n\nint is_even']],
      [test]: [['  OK(is_even(4)', '  OK(cube(2) == 8, "cubes");\n  OK(is_even(4)']],
    },
    told: [],
  },
  {
    name: 'a constant in a header',
    change: { 'include/area.h': [['int square', '#define MAX_SIDE 100\nint square']] },
    told: [],
  },
  {
    name: 'other flags of the compiler',
    change: { 'settings.mk': 'FLAGS = -Wall -Wextra\n' },
    told: ['configuration'],
  },
])
