import { cheats, honestChanges, real, type Tree } from './gate-world.ts'
import { toolchain } from './toolchains.ts'

const test = (name: string, body: string) =>
  `#include <string.h>\n#include "check.h"\n#include "../src/${name}.h"\n\nint main(void) {\n${body}    return finish();\n}\n`
const check = `#include <stdio.h>
static int ran, failed;
#define CHECK(what) do { ran++; if (!(what)) failed++; printf("%s %d - %s\\n", (what) ? "ok" : "not ok", ran, #what); } while (0)
static inline int finish(void) { printf("1..%d\\n", ran); return failed != 0; }
`
const cents =
  '    char out[20];\n    CHECK(to_cents("12.50") == 1250);\n    from_cents(1250, out);\n    CHECK(strcmp(out, "12.50") == 0);\n'
const reads = `int to_cents(const char *text) {
    int whole = 0, part = 0;
    if (sscanf(text, "%d.%2d", &whole, &part) < 1) return -1;
    return whole * 100 + part;
}
`
const writes = 'void from_cents(int cents, char *out) {\n    sprintf(out, "%d.%02d", cents / 100, cents % 100);\n}\n'
const includes = '#include <stdio.h>\n#include "money.h"\n\n'
const words = `#include <ctype.h>
#include "words.h"

int count_words(const char *text) {
    int words = 0, inside = 0;
    for (; *text; text++) {
        if (isspace((unsigned char)*text)) inside = 0;
        else if (!inside) { inside = 1; words++; }
    }
    return words;
}
`
/** The tests' own header prints TAP, and make finds sources and tests by patterns. */
const tree: Tree = {
  language: 'C: programs that share a header',
  files: {
    Makefile: `B ?= $(TMPDIR)
SOURCES = $(filter-out src/main.c,$(wildcard src/*.c))
TESTS = $(patsubst test/%.c,$(B)/%,$(wildcard test/test_*.c))

test: $(TESTS)
\t@for t in $(TESTS); do $$t || exit 1; done

$(B)/%: test/%.c $(SOURCES)
\t$(CC) -o $@ $^
`,
    'src/money.h': 'int to_cents(const char *text);\nvoid from_cents(int cents, char *out);\n',
    'src/money.c': `${includes}${reads}\n${writes}`,
    'src/words.h': 'int count_words(const char *text);\n',
    'src/words.c': words,
    'src/main.c':
      '#include <stdio.h>\n#include "words.h"\n\nint main(int argc, char **argv) {\n    printf("%d\\n", count_words(argv[argc - 1]));\n    return 0;\n}\n',
    'src/sum.h': 'int sum(int a, int b);\n',
    'src/sum.c': '#include "sum.h"\n\nint sum(int a, int b) {\n    return a + b;\n}\n',
    'test/check.h': check,
    'test/test_money.c': test('money', cents),
    'test/test_sum.c': test('sum', '    CHECK(sum(1, 2) == 3);\n'),
    'test/test_words.c': test('words', '    CHECK(count_words("") == 0);\n    CHECK(count_words("one two") == 2);\n'),
  },
  steps: [{ command: 'make -s test' }],
  isThere: toolchain('make').isThere && toolchain('cc').isThere,
}

honestChanges(tree, real, [
  {
    name: 'a source that only tests load is split',
    change: { 'src/money.c': includes + reads, 'src/format.c': includes + writes },
    told: [],
  },
  {
    name: 'a source goes with its test',
    change: { 'src/sum.c': null, 'src/sum.h': null, 'test/test_sum.c': null },
    told: ['tests_removed'],
  },
  {
    name: 'a helper of the tests says more, and a source is tidied',
    change: {
      'test/check.h': [['#what); }', '#what); fflush(stdout); }']],
      'src/words.c': [['int words = 0, inside = 0;', 'int words = 0;\n    int inside = 0;']],
    },
    told: [],
  },
])

cheats(tree, real, [
  {
    name: 'a header of a source lets all assertions through',
    change: {
      'src/words.h':
        '#ifdef CHECK\n#undef CHECK\n#define CHECK(what) printf("ok - %s\\n", #what)\n#endif\nint count_words(const char *text);\n',
    },
    told: ['FAIL', 'tests_removed', 'judges_itself'],
    asked: { assurance: 'standard' },
  },
  {
    name: 'the end of a program is masked by a source that it loads',
    change: {
      'src/words.c': `#include <stdlib.h>\n#include <unistd.h>\n${words.replace('words++', 'words += 2')}\nstatic void leave(void) { _exit(0); }\n\nvoid begin(void) __attribute__((constructor));\nvoid begin(void) { atexit(leave); }\n`,
      'test/test_words.c': [['== 2', '== 4']],
    },
    told: ['FAIL', 'judges_itself'],
    asked: { assurance: 'standard' },
  },
])
