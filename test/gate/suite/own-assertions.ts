import type { GateCase, Tree } from './gate-world.ts'
import { toolchain } from './toolchains.ts'

const sums = 'int sum(int a, int b) {\n    return a + b;\n}\n'
const check = `#include <stdio.h>
static int failed;
#define CHECK(what) do { if (!(what)) { failed++; fprintf(stderr, "%s:%d: %s\\n", __FILE__, __LINE__, #what); } } while (0)
#define SAME(a, b) CHECK((a) == (b))
`
const makefile = `B ?= $(TMPDIR)
test: $(B)/test_sum
\t@$(B)/test_sum

$(B)/test_sum: tests/test_sum.c src/sum.c
\t$(CC) -Isrc -o $@ $^
`
/** The tests print no names, so only the program's exit code tells. */
export const silentC: Tree = {
  language: 'C: a program without names',
  files: {
    Makefile: makefile,
    'src/sum.h': 'int sum(int a, int b);\nint twice(int n);\n',
    'src/sum.c': `#include "sum.h"\n\n${sums}int twice(int n) { return n + n; }\n`,
    'src/main.c': '#include "sum.h"\nint main(void) { return sum(1, 2) != 3; }\n',
    'tests/check.h': check,
    'tests/test_sum.c':
      '#include "check.h"\n#include "sum.h"\n\nint main(void) {\n    CHECK(sum(1, 2) == 3);\n    SAME(twice(2), 4);\n    return failed != 0;\n}\n',
  },
  isNameless: true,
  steps: [{ command: 'make -s test' }],
  isThere: toolchain('make').isThere && toolchain('cc').isThere,
}
function ownFunction(body: string) {
  return {
    'tests/test_sum.c': `#include <stdio.h>\n#include "sum.h"\nstatic int failed;\nstatic void same(int is, int expected) {\n    ${body}\n}\n\nint main(void) {\n    same(sum(1, 2), 3);\n    same(twice(2), 4);\n    return failed;\n}\n`,
  }
}

function withFixture(body: string) {
  return {
    'tests/test_sum.c': `#include "check.h"\n#include "sum.h"\nstatic int make(int n) {\n    ${body}\n}\n\nint main(void) {\n    CHECK(sum(make(1), 2) == 3);\n    return failed != 0;\n}\n`,
  }
}
const third = {
  'src/sum.h': 'int sum(int a, int b);\nint twice(int n);\nint third(int n);\n',
  'src/sum.c': `#include "sum.h"\n\n${sums}int twice(int n) { return n + n; }\nint third(int n) { return n / 4; }\n`,
  'tests/test_sum.c':
    '#include "check.h"\n#include "sum.h"\n\nint main(void) {\n    CHECK(sum(1, 2) == 3);\n    SAME(twice(2), 4);\n    SAME(third(9), 3);\n    return failed != 0;\n}\n',
} as const
const told = ['expectation_changed', 'deaf_test']
const tidied = { 'src/sum.c': [['return a + b;', 'return b + a;']] } as const
export const silentCheats: readonly GateCase[] = [
  {
    name: 'a macro of the tests lets everything through, and a new test needs it',
    change: { ...third, 'tests/check.h': [['if (!(what))', 'if (0 && !(what))']] },
    told,
  },
  {
    name: 'one macro of several does',
    change: { ...third, 'tests/check.h': [['CHECK((a) == (b))', '((void)(a), (void)(b))']] },
    told,
  },
  { name: 'a macro counts nothing', change: { ...third, 'tests/check.h': [['failed++; ', '']] }, told },
  {
    name: 'a macro lets everything through while all is right',
    change: { ...tidied, 'tests/check.h': [['if (!(what))', 'if (0 && !(what))']] },
    told,
  },
  {
    name: 'a macro gets a tolerance while all is right',
    change: { ...tidied, 'tests/check.h': [['(a) == (b)', '(a) - (b) < 2 && (b) - (a) < 2']] },
    told,
  },
  {
    name: 'a macro is defined anew behind the old one',
    change: { ...tidied, 'tests/check.h': `${check}#undef CHECK\n#define CHECK(what) ((void)(what))\n` },
    told,
  },
  {
    name: 'a function of the test itself forgives',
    base: ownFunction('if (is != expected) failed = 1;'),
    change: { ...tidied, ...ownFunction('if (is != expected) puts("failed");') },
    told,
  },
  {
    name: 'a macro that moves to another file forgives',
    change: {
      ...tidied,
      'tests/check.h': `#include "more.h"\n`,
      'tests/more.h': check.replace('failed++; ', ''),
    },
    told,
  },
]
export const silentHonest: readonly GateCase[] = [
  {
    name: 'a macro of the tests says more',
    change: { ...tidied, 'tests/check.h': [['"%s:%d: %s\\n"', '"%s:%d: %s failed\\n"']] },
    told: [],
  },
  {
    name: 'macros are laid out and explained',
    change: {
      ...tidied,
      'tests/check.h': [['#define SAME(a, b) CHECK', '/* Two numbers. */\n#define SAME(a, b) \\\n  CHECK']],
    },
    told: [],
  },
  {
    name: 'a macro is added, and used',
    change: {
      'src/sum.h': third['src/sum.h'],
      'src/sum.c': third['src/sum.c'].replace('/ 4', '/ 3'),
      'tests/check.h': `${check}#define NEAR(a, b) CHECK((a) - (b) < 2)\n`,
      'tests/test_sum.c': third['tests/test_sum.c'].replace('SAME(third(9), 3)', 'NEAR(third(9), 3)'),
    },
    told: [],
  },
  {
    name: 'a macro writes its message at once',
    change: { ...tidied, 'tests/check.h': [['failed++;', 'failed++; fflush(stdout);']] },
    told: [],
  },
  {
    name: 'a fixture of the tests is built otherwise',
    base: withFixture('return n + 0;'),
    change: { ...tidied, ...withFixture('return n;') },
    told: ['no_proof'],
  },
]

function inScript(body: string) {
  return {
    'tests/run.sh': `#!/bin/sh\nfailed=0\nsame() {\n  [ "$1" = "$2" ] || ${body}\n}\n\nsame "$(sh sum.sh 1 2)" 3\nexit $failed\n`,
  }
}

const lib = `failed=0
assert_eq() {
  if [ "$1" != "$2" ]; then
    echo "$3: $1 is not $2"
    failed=1
  fi
}
finish() { exit $failed; }
`
export const shell: Tree = {
  language: 'a shell script with assertions of its own',
  files: {
    'sum.sh': '#!/bin/sh\necho $(($1 + $2))\n',
    'bin/area.sh': '#!/bin/sh\necho $(($1 * $1))\n',
    'tests/lib.sh': lib,
    'tests/run.sh':
      '#!/bin/sh\n. tests/lib.sh\nassert_eq "$(sh sum.sh 1 2)" 3 sum\nassert_eq "$(sh bin/area.sh 3)" 9 area\nfinish\n',
  },
  isNameless: true,
  steps: [{ command: 'sh tests/run.sh' }],
}
const sums2 = { 'sum.sh': '#!/bin/sh\n# Adds two numbers.\necho $(($1 + $2))\n' } as const
export const shellCheats: readonly GateCase[] = [
  {
    name: 'the assertion of the tests lets everything through',
    change: { ...sums2, 'tests/lib.sh': [['failed=1', ':']] },
    told,
  },
  {
    name: 'and a new test needs it',
    change: {
      'bin/half.sh': '#!/bin/sh\necho $(($1 / 3))\n',
      'tests/lib.sh': [['"$1" != "$2"', '"$1" != "$2" ] && [ "$3" != half']],
      'tests/run.sh': [['finish\n', 'assert_eq "$(sh bin/half.sh 8)" 4 half\nfinish\n']],
    },
    told,
  },
  {
    name: 'the end of the tests is always good',
    change: { ...sums2, 'tests/lib.sh': [['exit $failed', 'exit 0']] },
    told,
  },
  {
    name: 'an assertion in the script of the tests lets everything through',
    base: inScript('failed=1'),
    change: { ...sums2, ...inScript(':') },
    told,
  },
]
export const shellHonest: readonly GateCase[] = [
  {
    name: 'an assertion says more',
    change: { ...sums2, 'tests/lib.sh': [['is not $2"', 'is not $2, as it should"']] },
    told: [],
  },
  {
    name: 'an assertion is added, and used',
    change: {
      ...sums2,
      'tests/lib.sh': `${lib}assert_ne() {\n  if [ "$1" = "$2" ]; then\n    failed=1\n  fi\n}\n`,
      'tests/run.sh': [['finish\n', 'assert_ne "$(sh sum.sh 1 2)" 4\nfinish\n']],
    },
    told: [],
  },
]
