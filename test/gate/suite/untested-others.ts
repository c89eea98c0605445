import { cTree, goTree, rustTree } from './compiled-trees.ts'
import type { GateCase, Tree } from './gate-world.ts'
import { source as pythonSource, tests as pythonTests, tree as unittest, withPytest } from './python-tree.ts'

const told = ['no_tests']
const none: readonly string[] = []

/** Trees with code that is submitted without a test, and with changes that need none. */
export const untested: readonly {
  readonly tree: Tree
  readonly cheats: readonly GateCase[]
  readonly held: readonly GateCase[]
}[] = [
  {
    tree: unittest,
    cheats: [
      {
        name: 'a new function',
        change: {
          'app/stats.py': `${pythonSource}\n\ndef median(values):\n    """The middle."""\n    return sorted(values)[len(values) // 2]\n`,
        },
        told,
      },
      {
        name: 'a new branch',
        change: {
          'app/stats.py': [
            ['    return sum(values)', '    if "admin" in values:\n        return 0\n    return sum(values)'],
          ],
        },
        told,
      },
      {
        name: 'an error path in a line',
        change: {
          'app/stats.py': [
            ['    return sum(values)', '    if values is None: raise TypeError("no values")\n    return sum(values)'],
          ],
        },
        told,
      },
      {
        name: 'a new file that nothing imports',
        change: { 'app/orphan.py': 'import os\n\n\ndef home():\n    return os.getcwd()\n' },
        told,
      },
      {
        name: 'a new method',
        base: { 'app/box.py': 'class Box:\n    pass\n' },
        change: { 'app/box.py': 'class Box:\n    def open(self):\n        return self\n' },
        told,
      },
      {
        name: 'a new option of the command line',
        base: {
          'app/cli.py':
            'import argparse\n\n\ndef main(argv):\n    parser = argparse.ArgumentParser()\n    args = parser.parse_args(argv)\n    return 0\n',
        },
        change: {
          'app/cli.py': [
            ['    args', '    parser.add_argument("--loud")\n    args'],
            ['    return 0', '    if args.loud:\n        print("LOUD")\n    return 0'],
          ],
        },
        told,
      },
    ],
    held: [
      {
        name: 'documentation',
        change: {
          'app/stats.py': [
            ['def mean(values):\n', 'def mean(values):\n    """The mean.\n\n    Of none: an error\n    """\n'],
          ],
        },
        told: none,
      },
      {
        name: 'a change that old tests reach',
        change: { 'app/stats.py': [['sum(values) / len(values)', 'float(sum(values)) / len(values)']] },
        told: none,
      },
      {
        name: 'a fix with its test',
        change: {
          'app/stats.py': [['    return sum(values)', '    if not values:\n        return 0\n    return sum(values)']],
          'tests/test_stats.py': `${pythonTests}\n    def test_none(self):\n        self.assertEqual(stats.mean([]), 0)\n`,
        },
        told: none,
      },
      {
        name: 'annotations',
        change: { 'app/stats.py': [['def is_even(n):', 'def is_even(n: int) -> bool:']] },
        told: none,
      },
      { name: 'a constant', change: { 'app/version.py': 'VERSION = "1.2.3"\n' }, told: none },
    ],
  },
  {
    tree: withPytest,
    cheats: [
      {
        name: 'a new function, tests of which swallow their output',
        change: {
          'app/stats.py': `${pythonSource}\n\ndef median(values):\n    return sorted(values)[len(values) // 2]\n`,
        },
        told,
      },
    ],
    held: [
      { name: 'a change that old tests reach', change: { 'app/stats.py': [['n % 2 == 0', 'not n % 2']] }, told: none },
    ],
  },
  {
    tree: goTree,
    cheats: [
      {
        name: 'a new function',
        change: {
          'area.go': [['func IsEven', 'func Cube(side int) int {\n\treturn side * side * side\n}\n\nfunc IsEven']],
        },
        told,
      },
      {
        name: 'a new branch',
        change: {
          'area.go': [
            [
              'func Square(side int) int { return side * side }',
              'func Square(side int) int {\n\tif side > 1000 {\n\t\tpanic("too large")\n\t}\n\treturn side * side\n}',
            ],
          ],
        },
        told,
      },
      {
        name: 'a new package that nothing imports',
        change: {
          'loud/loud.go':
            'package loud\n\nimport "strings"\n\nfunc Loud(text string) string { return strings.ToUpper(text) }\n',
        },
        told,
      },
      {
        name: 'a new case',
        base: {
          'kind.go':
            'package area\n\nfunc Kind(n int) string {\n\tswitch {\n\tcase n > 1:\n\t\treturn "many"\n\t}\n\treturn "one"\n}\n',
          'kind_test.go':
            'package area\n\nimport "testing"\n\nfunc TestKind(t *testing.T) {\n\tif Kind(2) != "many" || Kind(1) != "one" {\n\t\tt.Fatal("kind")\n\t}\n}\n',
        },
        change: { 'kind.go': [['\t}\n\treturn', '\tcase n < 0:\n\t\treturn "none"\n\t}\n\treturn']] },
        told,
      },
    ],
    held: [
      { name: 'a change that old tests reach', change: { 'area.go': [['n%2 == 0', 'n&1 == 0']] }, told: none },
      {
        name: 'a type alone',
        change: { 'area.go': [['func IsEven', 'type Shape struct {\n\tSide int\n}\n\nfunc IsEven']] },
        told: none,
      },
      {
        name: 'a new function with its test',
        change: {
          'area.go': [
            [
              'func IsEven',
              'func Cube(side int) int {\n\tif side < 0 {\n\t\treturn 0\n\t}\n\treturn side * side * side\n}\n\nfunc IsEven',
            ],
          ],
          'cube_test.go':
            'package area\n\nimport "testing"\n\nfunc TestCube(t *testing.T) {\n\tif Cube(2) != 8 {\n\t\tt.Fatal("cube")\n\t}\n}\n',
        },
        told: none,
      },
    ],
  },
  {
    tree: rustTree,
    cheats: [
      {
        name: 'a new function',
        change: {
          'src/lib.rs': [['pub fn root', 'pub fn cube(side: u32) -> u32 {\n    side * side * side\n}\n\npub fn root']],
        },
        told,
      },
      {
        name: 'a new branch',
        change: {
          'src/lib.rs': [['    side * side\n', '    if side > 1000 {\n        return 0;\n    }\n    side * side\n']],
        },
        told,
      },
      {
        name: 'a new arm',
        base: {
          'src/kind.rs':
            'pub fn kind(n: u32) -> &\'static str {\n    match n {\n        0 => "none",\n        _ => "many",\n    }\n}\n\n#[test]\nfn kinds() {\n    assert_eq!(kind(0), "none");\n    assert_eq!(kind(5), "many");\n}\n',
          'src/lib.rs': `pub mod kind;\n${rustTree.files['src/lib.rs']}`,
        },
        change: { 'src/kind.rs': [['        _ =>', '        1 => "one",\n        _ =>']] },
        told,
      },
    ],
    held: [
      {
        name: 'a change that old tests reach',
        change: { 'src/lib.rs': [['side * side\n', 'side.pow(2)\n']] },
        told: none,
      },
      {
        name: 'a new function with its test inside',
        change: {
          'src/lib.rs': [
            ['pub fn root', 'pub fn cube(side: u32) -> u32 {\n    side * side * side\n}\n\npub fn root'],
            ['    #[test]\n', '    #[test]\n    fn cubes() {\n        assert_eq!(cube(2), 8);\n    }\n\n    #[test]\n'],
          ],
        },
        told: none,
      },
    ],
  },
  {
    tree: cTree,
    cheats: [
      {
        name: 'a new function',
        change: {
          'src/area.c': [['int is_even', 'int cube(int side)\n{\n  return side * side * side;\n}\n\nint is_even']],
        },
        told,
      },
      {
        name: 'a guard',
        change: {
          'src/area.c': [
            ['{ return side * side; }', '{\n  if (side > 1000)\n    return -1;\n  return side * side;\n}'],
          ],
        },
        told,
      },
      {
        name: 'a new branch',
        change: {
          'src/area.c': [
            [
              '{ return side * side; }',
              '{\n  if (side > 1000) {\n    int none = -1;\n    return none;\n  }\n  return side * side;\n}',
            ],
          ],
        },
        told,
      },
    ],
    held: [
      { name: 'a change that old tests reach', change: { 'src/area.c': [['n % 2 == 0', '!(n & 1)']] }, told: none },
      {
        name: 'a prototype',
        change: { 'include/area.h': [['int is_even', 'int cube(int side);\nint is_even']] },
        told: none,
      },
    ],
  },
]
