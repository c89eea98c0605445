import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toolchain } from '../suite/toolchains.ts'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

type Change = Readonly<Record<string, string | null>>

let world: VerifierWorld

async function verifyChange(change: Change, more: Pick<VerifierInput, 'steps'> & Partial<VerifierInput>) {
  const commit = await world.commitChange(change)
  const asked = { purpose: 'change', writes: 'overlay', refactor: true, commit, ...more } as const
  const { status, manifest, tail_log } = await world.ask(asked)
  const read = (log: string) => world.read(manifest?.run_id ?? '', log)
  return { status, tail: tail_log ?? '', canaries: manifest?.canaries, findings: manifest?.integrity?.findings, read }
}

const source = '#include "area.h"\n\nint area(int side) { return side * side; }\n'
const header = '#pragma once\nint area(int side);\n'
/** Uses the standard assert header, and the program's exit code. */
const asserts = `#include <assert.h>
#include "../src/area.h"

int main(void)
{
    assert(area(2) == 4);
    return area(3) == 9 ? 0 : 1;
}
`
/** Counts by itself, and needs an argument. */
const counts = `#include <stdio.h>
#include <string.h>
#include "area.h"

static int failures;
#define CHECK(what) do { if (!(what)) { failures++; printf("no: %s\\n", #what); } } while (0)

int main(int argc, char **argv)
{
    CHECK(argc == 2 && strcmp(argv[1], "all") == 0);
    CHECK(area(1) == 1);
    return failures;
}
`
const attacks: readonly (readonly [string, Change])[] = [
  [
    'that replaces assert in a header',
    { 'src/area.h': `#include <assert.h>\n#undef assert\n#define assert(what) ((void)(what))\n${header}` },
  ],
  [
    'that masks the exit code',
    {
      'src/area.c': `#include <stdlib.h>\n#include <unistd.h>\nstatic void quiet(void) { _exit(0); }\n__attribute__((constructor)) static void begin(void) { atexit(quiet); }\n${source}`,
    },
  ],
  [
    'that masks it only once it is called',
    {
      'src/area.c': `#include <stdlib.h>\n#include <unistd.h>\n#include "area.h"\nstatic void quiet(void) { _exit(0); }\nint area(int side) { atexit(quiet); return side * side; }\n`,
    },
  ],
  [
    'that answers the signal of an abort',
    {
      'src/area.c': `#include <signal.h>\n#include <unistd.h>\nstatic void quiet(int n) { (void)n; _exit(0); }\n__attribute__((constructor)) static void begin(void) { signal(SIGABRT, quiet); }\n${source}`,
    },
  ],
]
const honest = { 'src/area.c': source.replace('side * side', '(side) * (side)') }

const hasCmake = toolchain('cmake').isThere && toolchain('ctest').isThere && toolchain('cc').isThere
describe.runIf(hasCmake)('CMake and ctest', () => {
  const build = '"$ARTIFACT_DIR/build"'
  const steps = [
    { name: 'build', command: `cmake -S . -B ${build} && cmake --build ${build}`, timeoutSec: 120 },
    {
      name: 'test',
      timeoutSec: 120,
      junit: 'logs/junit.xml',
      command: `ctest --test-dir ${build} --output-on-failure --output-junit "$ARTIFACT_DIR/logs/junit.xml"`,
    },
  ]
  const lists = `cmake_minimum_required(VERSION 3.10)
project(area C)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
enable_testing()
add_compile_options(-Wall -Wextra -Werror -Wmissing-prototypes)
add_library(area src/area.c)
target_include_directories(area PUBLIC src)
add_subdirectory(test)
`
  /** A usual form in repositories: program names in a loop, and a program of its own. */
  const tests = `foreach(name asserts)
  add_executable(test_\${name} test_\${name}.c)
  target_link_libraries(test_\${name} PRIVATE area)
  add_test(NAME \${name} COMMAND test_\${name})
endforeach()
file(GLOB own own/*.c)
add_executable(counts \${own})
target_link_libraries(counts area)
add_test(NAME counts COMMAND counts all)
`
  const files = {
    'CMakeLists.txt': lists,
    'test/CMakeLists.txt': tests,
    'src/area.c': source,
    'src/area.h': header,
    'test/test_asserts.c': asserts,
    'test/own/counts.c': counts,
  }
  beforeAll(async () => {
    world = await makeVerifierWorld(files)
  })
  afterAll(() => world.close())

  test('an honest change is heard by a program for each file with tests, linked as they are', async () => {
    const { status, tail, canaries, findings, read } = await verifyChange(honest, { steps })
    expect([status, status === 'PASS' ? '' : tail, findings]).toEqual(['PASS', '', []])
    const heard = { step: 'test', status: 'heard', files: ['test/own/counts.c', 'test/test_asserts.c'] }
    expect(canaries).toMatchObject({ status: 'heard', steps: [heard] })
    const log = read('logs/canaries.log')
    expect(log).toMatch(/asserts \.+ +Passed/)
    expect(log).toMatch(/asserts_\w+ \.+.*\*\*\*Failed/)
    expect(log).toMatch(/counts_\w+ \.+.*\*\*\*Failed/)
    expect(() => read('logs/canaries-again.log')).toThrow()
  })

  test.each(attacks.slice(1, 3))(
    'a change %s makes the gate deaf',
    async (_what, change) => {
      const { status, canaries } = await verifyChange(change, { steps })
      expect([status, canaries?.status, canaries?.reason]).toEqual([
        'FAIL',
        'deaf',
        expect.stringContaining('passed in'),
      ])
    },
    120_000,
  )

  test.each([
    [
      'has no function main',
      {
        'test/CMakeLists.txt':
          'add_executable(both main.c test_asserts.c)\ntarget_link_libraries(both area)\nadd_test(NAME both COMMAND both)\n',
        'test/own/counts.c': null,
        'test/test_asserts.c': asserts.replace('int main(void)', 'int run(void);\n\nint run(void)'),
        'test/main.c': 'int run(void);\n#define PROGRAM int main(void)\nPROGRAM { return run();\n}\n',
      },
      'test/main.c has no main function that can be called',
    ],
  ])(
    'a program that %s is told to be that',
    async (_what, change, reason) => {
      const { status, tail, canaries } = await verifyChange(change, { steps })
      expect([status, status === 'PASS' ? '' : tail, canaries?.status, canaries?.reason]).toEqual([
        'PASS',
        '',
        'not_tried',
        expect.stringContaining(reason),
      ])
    },
    120_000,
  )
})

describe.runIf(toolchain('make').isThere && toolchain('cc').isThere)('make', () => {
  /** The programs report their tests in TAP. */
  const says = `#include <stdio.h>
#include <string.h>
#include "../src/area.h"

static int tests, failures;

static void ok(int what, const char *name)
{
    if (!what) failures++;
    printf("%sok %d - %s\\n", what ? "" : "not ", ++tests, name);
}

int main(void)
{
    ok(area(2) == 4, "squares");
    ok(strcmp("a", "b") < 0, "compares");
    printf("1..%d\\n", tests);
    return failures != 0;
}
`
  const listed = `CC ?= cc
CFLAGS = -Wall -Wextra -Werror -std=c99
OBJECTS = build/area.o
.PHONY: test clean

test: build/says_test
\t@./build/says_test

build/says_test: test/says_test.c $(OBJECTS)
\t$(CC) $(CFLAGS) -o $@ $< $(OBJECTS)

build/%.o: src/%.c
\t@mkdir -p build
\t$(CC) $(CFLAGS) -c -o $@ $<

clean:
\trm -rf build
`
  /** Finds its tests, and reports their results in TAP. */
  const found = `CFLAGS += -Isrc
TESTS := $(patsubst test/%.c,build/%,$(wildcard test/test_*.c))

all: $(TESTS)

build/%: test/%.c src/area.c
\t@mkdir -p build
\t$(CC) $(CFLAGS) $^ -o $@

check: $(TESTS)
\t@echo "1..$(words $(TESTS))"; n=0; end=0; for t in $(TESTS); do n=$$((n+1)); \\
\tif ./$$t; then echo "ok $$n - $$t"; else echo "not ok $$n - $$t"; end=1; fi; done; exit $$end

.PHONY: all check
`
  const sources = { 'src/area.c': source, 'src/area.h': header }
  const kinds = {
    'programs that say TAP': { Makefile: listed, 'test/says_test.c': says, ...sources },
    'a pattern of programs': { Makefile: found, 'test/test_asserts.c': asserts, ...sources },
  }

  describe.each(Object.entries(kinds))('%s', (kind, files) => {
    const steps = [{ command: kind.startsWith('a ') ? 'make -s check' : 'make test', timeoutSec: 120 }]
    const file = Object.keys(files).find((path) => path.startsWith('test/')) ?? ''
    beforeAll(async () => {
      world = await makeVerifierWorld(files)
    })
    afterAll(() => world.close())

    test('an honest change is heard', async () => {
      const { status, tail, canaries, findings } = await verifyChange(honest, { steps })
      expect([status, status === 'PASS' ? '' : tail, findings]).toEqual(['PASS', '', []])
      expect(canaries).toEqual({ status: 'heard', steps: [{ step: 'test', status: 'heard', files: [file] }] })
    })

    test.each(kind.startsWith('a ') ? attacks.slice(0, 1) : attacks.slice(3))(
      'a change %s makes the gate deaf',
      async (_what, change) => {
        const { status, canaries, tail } = await verifyChange(change, { steps })
        expect([status, canaries?.status, status === 'FAIL' ? '' : tail]).toEqual(['FAIL', 'deaf', ''])
      },
      120_000,
    )
  })

  /** A usual form in small libraries: a macro and a runner in a header of the tests. */
  const ownHeader = `#include <stdio.h>
static int passed, failed;
#define check(what) do { if (!(what)) return __LINE__; } while (0)
static void test(int (*run)(void), const char *name)
{
    int line = run();
    if (line == 0) passed++;
    else { failed++; printf("FAILED: %s (at line %d)\\n", name, line); }
}
`
  const ownTests = `#include "own.h"
#include "../src/area.h"

static int squares(void)
{
    check(area(2) == 4);
    return 0;
}

int main(void)
{
    test(squares, "squares");
    printf("PASSED: %d\\nFAILED: %d\\n", passed, failed);
    return failed > 0;
}
`
  const ownMake = `test: test_plain
test_plain: test/tests.c src/area.c
\t$(CC) -Wall -Wextra -Werror $^ -o test/$@
\t./test/$@
`

  test.each([
    [
      'an honest change of the header',
      ownHeader.replace('passed, failed;', 'passed, failed, skipped;\nint *count = &skipped;'),
      'PASS',
      'heard',
    ],
    ['an assertion that holds always', ownHeader.replace('return __LINE__', 'return 0'), 'FAIL', 'deaf'],
    ['a runner that counts no failure', ownHeader.replace('failed++;', ''), 'FAIL', 'deaf'],
  ])(
    'own assertions of the tests: %s',
    async (_what, changed, expected, said) => {
      world = await makeVerifierWorld({
        Makefile: ownMake,
        'test/own.h': ownHeader,
        'test/tests.c': ownTests,
        ...sources,
      })
      const { status, canaries, tail } = await verifyChange(
        { 'test/own.h': changed, ...honest },
        { steps: [{ command: 'make test' }] },
      )
      await world.close()
      expect([status, canaries?.status, status === expected ? '' : tail]).toEqual([expected, said, ''])
    },
    120_000,
  )

  test('a Makefile that does not say how its tests are found is told to be that', async () => {
    const files = { Makefile: 'include tests.mk\n', 'tests.mk': listed, 'test/says_test.c': says, ...sources }
    world = await makeVerifierWorld(files)
    const { status, canaries } = await verifyChange(honest, { steps: [{ command: 'make test' }] })
    await world.close()
    const reason = 'Makefile says nothing of test/says_test.c, and has no pattern that finds it'
    expect([status, canaries?.status, canaries?.reason]).toEqual(['PASS', 'not_tried', reason])
  })
})
