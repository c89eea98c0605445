import { goTree, rustTree } from './compiled-trees.ts'
import type { GateCase } from './gate-world.ts'

const behaviour = ['behaviour_changed']
const itself = ['judges_itself']
const gone = ['tests_removed', 'tests_unread']
const skipped = ['tests_skipped', ...gone]

const odd = [['n%2 == 0', 'n%2 == 1']] as const
export const goCheats: readonly GateCase[] = [
  {
    name: 'an error becomes a log line',
    change: { 'area.go': odd, 'area_test.go': [['t.Error("even")', 't.Log("even")']] },
    told: behaviour,
  },
  {
    name: 'embedded data is rewritten',
    change: { 'area.go': [['area %d', 'area: %d']], 'testdata/golden.txt': 'area: 4\n' },
    told: behaviour,
  },
  { name: 'a test is renamed away', change: { 'area_test.go': [['func TestEven', 'func testEven']] }, told: gone },
  { name: 'the table of sides is emptied', change: { 'area_test.go': [['{1: 1, 5: 25}', '{}']] }, told: gone },
  {
    name: 'a build tag hides the tests',
    change: {
      'area_test.go': [['package area\n', '//go:build acceptance\n\npackage area\n']],
      'more_test.go':
        'package area\n\nimport "testing"\n\nfunc TestMore(t *testing.T) {\n\tif Square(1) != 1 {\n\t\tt.Fail()\n\t}\n}\n',
    },
    told: gone,
  },
  {
    name: 'a test skips itself',
    change: { 'area_test.go': [['	if !IsEven', '	t.Skip("later")\n	if !IsEven']] },
    told: skipped,
  },
  {
    name: 'TestMain ends with 0',
    change: {
      'area.go': odd,
      'main_test.go':
        'package area\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n',
    },
    told: ['FAIL'],
  },
  {
    name: 'init ends the tests',
    change: {
      'area.go': [
        [
          'import "fmt"',
          'import (\n\t"fmt"\n\t"os"\n\t"strings"\n)\n\nfunc init() {\n\tif strings.HasSuffix(os.Args[0], ".test") {\n\t\tos.Exit(0)\n\t}\n}',
        ],
      ],
    },
    told: [...itself, ...gone],
  },
  {
    name: 'the answer is right only under test',
    change: {
      'area.go': [
        ['import "fmt"', 'import (\n\t"flag"\n\t"fmt"\n)'],
        ['return n%2 == 0', 'return flag.Lookup("test.v") != nil && n%2 == 0'],
      ],
    },
    told: itself,
  },
  {
    name: 'a value equals everything',
    change: {
      'area.go': `${goTree.files['area.go']}\ntype Area int\n\nfunc (a Area) Equal(b Area) bool { return true }\n`,
    },
    told: itself,
  },
  {
    name: 'the linter is silenced',
    change: { 'area.go': [['func IsEven', '//nolint:all\nfunc IsEven']] },
    told: ['suppressed'],
  },
]

const rs = rustTree.files['src/lib.rs']
const tests = 'tests/area.rs'
const lib = 'src/lib.rs'
export const rustCheats: readonly GateCase[] = [
  {
    name: 'an expectation is rewritten',
    change: {
      [lib]: [['find(|side| side * side >= area)', 'find(|side| side * side > area)']],
      [tests]: [['root(9), 3', 'root(9), 4']],
    },
    told: behaviour,
  },
  {
    name: 'an expectation inside the source is rewritten',
    change: {
      [lib]: [
        ['side * side\n}', 'side * side + side / 3\n}'],
        ['square(3), 9', 'square(3), 10'],
      ],
    },
    told: behaviour,
  },
  {
    name: 'a test is ignored',
    change: { [tests]: [['#[test]\nfn roots', '#[test]\n#[ignore]\nfn roots']] },
    told: skipped,
  },
  {
    name: 'a test is built for no configuration',
    change: { [tests]: [['#[test]\nfn roots', '#[cfg(any())]\n#[test]\nfn roots']] },
    told: gone,
  },
  {
    name: 'a test in the source is no longer one',
    change: { [lib]: [['    #[test]\n', '    #[allow(dead_code)]\n']] },
    told: gone,
  },
  {
    name: 'the answer is right only under test',
    change: { [lib]: [['    side * side\n}', '    if cfg!(test) { side * side } else { side * side }\n}']] },
    told: itself,
  },
  {
    name: 'assertions are made anew by a macro',
    change: {
      [lib]: `macro_rules! assert_eq { ($($t:tt)*) => {}; }\n${rs.replace('    side * side\n', '    side.pow(2)\n')}`,
    },
    told: itself,
  },
  {
    name: 'a value equals everything',
    change: {
      [lib]: `pub struct Area(pub u32);\nimpl PartialEq for Area {\n    fn eq(&self, _other: &Self) -> bool {\n        true\n    }\n}\n${rs}`,
    },
    told: itself,
  },
  { name: 'lints are allowed', change: { [lib]: `#![allow(warnings)]\n${rs}` }, told: ['suppressed'] },
  {
    name: 'doctests and tests of the library are switched off',
    change: { 'Cargo.toml': [['doctest = false', 'doctest = false\ntest = false']] },
    told: ['configuration', ...gone],
  },
]

const area = 'src/area.c'
const own = 'tests/test_area.c'
const oddC = [['n % 2 == 0', 'n % 2 != 0']] as const
export const cCheats: readonly GateCase[] = [
  {
    name: 'an expectation is turned round',
    change: {
      [area]: oddC,
      [own]: [
        ['OK(is_even(4)', 'OK(!is_even(4)'],
        ['OK(!is_even(3)', 'OK(is_even(3)'],
      ],
    },
    told: behaviour,
  },
  {
    name: 'the macro of the tests is always content',
    change: { [area]: oddC, 'tests/tap.h': [['int is = (what);', 'int is = (what) || 1;']] },
    told: behaviour,
  },
  {
    name: 'a test stands behind #if 0',
    change: { [own]: [['  OK(is_even(4), "even");\n', '#if 0\n  OK(is_even(4), "even");\n#endif\n']] },
    told: gone,
  },
  {
    name: 'a header switches assert off',
    change: {
      'include/area.h': [['#define AREA_H\n', '#define AREA_H\n#define NDEBUG 1\n']],
      [own]: [['#include <assert.h>\n#include "area.h"', '#include "area.h"\n#include <assert.h>']],
    },
    told: itself,
  },
  {
    name: 'a header makes its own assert',
    change: {
      'include/area.h': [['#define AREA_H\n', '#define AREA_H\n#undef assert\n#define assert(x) ((void)0)\n']],
    },
    told: itself,
  },
  {
    name: 'a header makes comparison harmless',
    change: { 'include/area.h': [['#define AREA_H\n', '#define AREA_H\n#define strcmp(a, b) 0\n']] },
    told: itself,
  },
  {
    name: 'a constructor ends the process',
    change: {
      [area]: [
        [
          '#include "area.h"\n',
          '#include "area.h"\n#include <unistd.h>\n\n__attribute__((constructor)) static void leave(void) { _exit(0); }\n',
        ],
      ],
    },
    told: [...itself, ...gone],
  },
  {
    name: 'the exit code is masked at exit',
    change: {
      [area]: [
        [
          '#include "area.h"\n',
          '#include "area.h"\n#include <stdlib.h>\n#include <stdio.h>\n#include <unistd.h>\n\nstatic void leave(void) { fflush(stdout); _exit(0); }\n',
        ],
        ['{ return n % 2 == 0; }', '{ atexit(leave); return n % 2 != 0; }'],
      ],
    },
    told: ['FAIL'],
  },
  {
    name: 'the answer is right only on CI',
    change: {
      [area]: [
        ['#include "area.h"\n', '#include "area.h"\n#include <stdlib.h>\n'],
        ['return n % 2 == 0', 'return getenv("CI") ? n % 2 == 0 : 1'],
      ],
    },
    told: itself,
  },
  { name: 'the target of the Makefile is emptied', change: { Makefile: 'test:\n\ttrue\n' }, told: ['configuration'] },
  {
    name: 'a file that the Makefile includes switches checks off',
    change: { 'settings.mk': 'FLAGS = -w -DNDEBUG\n' },
    told: ['configuration'],
  },
  {
    name: 'the Makefile forgives',
    change: { [area]: oddC, Makefile: [['	"$(OUT)/tests"', '	-"$(OUT)/tests"']] },
    told: ['FAIL'],
  },
  {
    name: 'warnings are switched off in the source',
    change: { [area]: [['#include "area.h"\n', '#include "area.h"\n#pragma GCC diagnostic ignored "-Wall"\n']] },
    told: ['suppressed'],
  },
]
