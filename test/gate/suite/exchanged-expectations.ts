import type { GateCase, Tree } from './gate-world.ts'

interface Rows {
  readonly tree: Tree
  readonly output: string
  readonly cheats: readonly GateCase[]
  readonly honest: readonly GateCase[]
}

const [goTest, rustTest, cTest, golden] = ['sums_test.go', 'tests/sums.rs', 'tests/test_sums.c', 'testdata/out.golden']
const condition = '\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf("wnat: %d", got)\n\t}\n'
const second = '\tif got := Add(2, 2); got != 4 {\n\t\tt.Errorf("two: %d", got)\n\t}\n'
const goTable =
  '\tfor _, each := range []struct{ a, b, sum int }{\n\t\t{1, 2, 3},\n\t\t{2, 2, 4},\n\t\t{0, 0, 0},\n\t} {\n\t\tif got := Add(each.a, each.b); got != each.sum {\n\t\t\tt.Errorf("got %d", got)\n\t\t}\n\t}\n'
const goText = `package sums\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n${condition}${second}}\n\nfunc TestNone(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Fatal("none")\n\t}\n}\n\nfunc TestMinus(t *testing.T) {\n\tif Add(-1, 0) != -1 {\n\t\tt.Fatal("minus")\n\t}\n}\n`
const more = 'func TestMore(t *testing.T) {\n\tif Add(4, 4) != 8 {\n\t\tt.Fatal("more")\n\t}\n}\n'
const wantTable = goTable.replaceAll('sum', 'want')
const wantText = goText.replace(condition + second, wantTable)
const twoTables = wantText.replace(
  'if Add(0, 0) != 0 {\n\t\tt.Fatal("none")\n\t}',
  wantTable.replace('{0, 0, 0}', '{0, 4, 4}').trim(),
)
const exchanged = ['expectation_changed']

/** Changes that swap expectations, or only rewrite them, without changing any product file. */
export const languages: readonly Rows[] = [
  {
    tree: {
      language: 'Go: expectations are exchanged',
      files: {
        'go.mod': 'module example.org/sums\n\ngo 1.19\n',
        'sums.go': 'package sums\n\nfunc Add(a, b int) int { return a + b }\n',
        [goTest]: goText,
        [golden]: 'total: 3\nlast: 4\n',
      },
      steps: [{ command: 'tests' }],
    },
    output: `${['Add', 'None', 'Minus', 'More'].map((name) => `=== RUN   Test${name}\n--- PASS: Test${name} (0.00s)\n`).join('')}PASS\nok  \texample.org/sums\t0.001s\n`,
    cheats: [
      { name: 'less is compared', change: { [goTest]: [['got != 3', 'got < 0']] }, told: exchanged },
      { name: 'any larger value will do', change: { [goTest]: [['got != 3', 'got < 3']] }, told: exchanged },
      {
        name: 'another value is expected',
        change: { [goTest]: [['Add(1, 2); got != 3', 'Add(1, 3); got != 4']] },
        told: exchanged,
      },
      {
        name: 'less is compared in a test file that is renamed',
        change: { [goTest]: null, 'add_test.go': goText.replace('got != 3', 'got < 0') },
        told: exchanged,
      },
      {
        name: 'less is compared, beside a comment in the source',
        change: { [goTest]: [['got != 3', 'got < 0']], 'sums.go': [['func Add', '// Add adds.\nfunc Add']] },
        told: exchanged,
      },
      {
        name: 'a value is compared with itself',
        change: { [goTest]: [['got != each.want', 'got != got']] },
        base: { [goTest]: wantText },
        told: exchanged,
      },
      {
        name: 'data in a format of set-up expects less',
        change: { 'tests/wanted.yml': 'total: 3\n' },
        base: {
          'tests/wanted.yml': 'total: 3\nlast: 4\n',
          'read_test.go': 'package sums\n\nimport "os"\n\nvar wanted, _ = os.ReadFile("tests/wanted.yml")\n',
        },
        told: exchanged,
      },
      {
        name: 'less is compared beside a test that goes',
        change: { [goTest]: goText.replace(/func TestMinus[\s\S]*$/, more).replace('got != 3', 'got < 0') },
        told: exchanged,
      },
      { name: 'a golden file expects less', change: { [golden]: 'total: 3\n' }, told: exchanged },
    ],
    honest: [
      { name: 'a message is corrected', change: { [goTest]: [['wnat', 'what']] }, told: [] },
      {
        name: 'assertions become a table',
        change: { [goTest]: [[condition + second, goTable]] },
        told: ['fewer_assertions'],
      },
      {
        name: 'one is added',
        change: { [goTest]: [[second, `${second}\tif Add(4, 4) != 8 {\n\t\tt.Fatal("four")\n\t}\n`]] },
        told: [],
      },
      {
        name: 'a whole test goes',
        change: { [goTest]: goText.replace(/func TestMinus[\s\S]*$/, more) },
        told: ['tests_removed'],
      },
      {
        name: 'a variable gets another name',
        change: { [goTest]: wantText.replaceAll('each', 'tc') },
        base: { [goTest]: wantText },
        told: [],
      },
      {
        name: 'a variable gets another name in one of two tests',
        change: { [goTest]: twoTables.replace(wantTable, wantTable.replaceAll('each', 'tc')) },
        base: { [goTest]: twoTables },
        told: [],
      },
      {
        name: 'a row stands in several lines',
        change: {
          [goTest]: wantText
            .replace('{1, 2, 3},', '{\n\t\t\t1,\n\t\t\t2,\n\t\t\t3,\n\t\t},')
            .replace('got %d', 'is %d'),
        },
        base: { [goTest]: wantText },
        told: [],
      },
      ...Object.entries({
        'tests/README.md': ['# Tests\n\nThey are == 3.\n', '# The tests\n'],
        'tests/docker-compose.yml': ['test: ["CMD", "a"]\nimage: store:1\n', 'test: ["CMD", "b"]\nimage: store:2\n'],
        'tests/.gitignore': ['tmp/\n', 'out/\n'],
      }).map(([path, [was = '', is = '']]) => ({
        name: `${path} beside the tests`,
        change: { [path]: is },
        base: { [path]: was },
        told: [],
      })),
      { name: 'a golden file expects more', change: { [golden]: 'total: 3\nlast: 4\nnext: 5\n' }, told: [] },
    ],
  },
  {
    tree: {
      language: 'Rust: expectations are exchanged',
      files: {
        'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
        'src/lib.rs':
          'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn inside() {\n        assert_eq!(add(2, 2), 4);\n    }\n}\n',
        [rustTest]:
          'use sums::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n\n#[test]\nfn none() {\n    assert_eq!(add(0, 0), 0, "noen");\n}\n',
      },
      steps: [{ command: 'tests' }],
    },
    output:
      '\nrunning 3 tests\ntest adds ... ok\ntest none ... ok\ntest inside ... ok\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n',
    cheats: [
      {
        name: 'less is compared',
        change: { [rustTest]: [['assert_eq!(add(1, 2), 3)', 'assert!(add(1, 2) > 0)']] },
        told: exchanged,
      },
      {
        name: 'less is compared inside of the source',
        change: { 'src/lib.rs': [['assert_eq!(add(2, 2), 4)', 'assert!(add(2, 2) != 0)']] },
        told: exchanged,
      },
    ],
    honest: [
      { name: 'a message is corrected', change: { [rustTest]: [['noen', 'none']] }, told: [] },
      {
        name: 'the layout changes',
        change: { [rustTest]: [['assert_eq!(add(1, 2), 3);', 'assert_eq!(\n        add(1, 2), 3\n    );']] },
        told: [],
      },
      {
        name: 'the layout changes, beside a message',
        change: {
          [rustTest]: [
            ['assert_eq!(add(1, 2), 3);', 'assert_eq!(\n        add(1, 2),\n        3,\n    );'],
            ['noen', 'none'],
          ],
        },
        told: [],
      },
    ],
  },
  {
    tree: {
      language: 'C: expectations are exchanged',
      files: {
        'src/sums.c': 'int add(int a, int b) { return a + b; }\n',
        'src/sums.h': 'int add(int a, int b);\n',
        [cTest]:
          '#include <assert.h>\n#include "../src/sums.h"\n\nint main(void) {\n  assert(add(1, 2) == 3);\n  assert(add(0, 0) == 0);\n  return 0;\n}\n',
      },
      steps: [{ command: 'tests' }],
    },
    output: 'TAP version 13\nok 1 - adds\nok 2 - none\nok 3 - more\n1..3\n',
    cheats: [{ name: 'less is compared', change: { [cTest]: [['add(1, 2) == 3', 'add(1, 2) > 0']] }, told: exchanged }],
    honest: [
      {
        name: 'one is added',
        change: { [cTest]: [['  return 0;', '  assert(add(4, 4) == 8);\n  return 0;']] },
        told: [],
      },
    ],
  },
]
