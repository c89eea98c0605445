import { expect, test } from 'vitest'
import { isMadeByOtherName, makeCanary } from '../../../../src/domain/gate/canaries/make-canary.ts'

const goals = new Set(['make', 'test'])
const plant = (text: string, path = 'test/test_a.c') => makeCanary({ text, path, token: 'c0', goals })

test.each([
  ['a list', 'TESTS = test_a test_b\n', 'TESTS = test_a test_a_c0 test_b\n'],
  ['a list over lines', 'TESTS = \\\n  test_b \\\n  test_a\n', 'TESTS = \\\n  test_b \\\n  test_a test_a_c0\n'],
  [
    'a list in a function',
    'ALL := $(addprefix build/,test_a test_b)\n',
    'ALL := $(addprefix build/,test_a test_a_c0 test_b)\n',
  ],
  ['paths', 'ALL = $(OUT)/test_a.o src/a.o\n', 'ALL = $(OUT)/test_a.o $(OUT)/test_a_c0.o src/a.o\n'],
  [
    'a rule with its recipe',
    'test_a: test/test_a.c a.o\n\t$(CC) -o $@ $^\n\na.o: a.c\n',
    'test_a: test/test_a.c a.o\n\t$(CC) -o $@ $^\ntest_a_c0: test/test_a_c0.c a.o\n\t$(CC) -o $@ $^\n\na.o: a.c\n',
  ],
  ['a setting of the target', 'test_a: LIBS = -lm\n', 'test_a: LIBS = -lm\ntest_a_c0: LIBS = -lm\n'],
  [
    'the goal that runs it',
    'test: test_a test_b\n\t./test_a --all || true\n\t./test_b\n',
    'test: test_a test_a_c0 test_b\n\t./test_a --all || true\n\t./test_a_c0 --all || true\n\t./test_b\n',
  ],
  [
    'a loop in a recipe',
    'test: all\n\tfor t in test_a test_b; do ./$$t || exit 1; done\n',
    'test: all\n\tfor t in test_a test_a_c0 test_b; do ./$$t || exit 1; done\n',
  ],
  ['a pattern', 'T = $(wildcard test/*.c)\n', 'T = $(wildcard test/*.c)\n'],
])('a Makefile’s flags for a test also apply to its canary: %s', (_what, before, after) => {
  expect(plant(before)).toBe(after)
})

test.each([
  ['nothing', 'all: a.o\n'],
  ['a folder of that name', 'T = test_a/run\n'],
  ['what only a name of a setting', 'test_a_LIBS = -lm\n'],
  ['a longer name', 'T = my-test_a test_ab\n'],
])('a Makefile that says %s of a test is not understood', (_what, text) => {
  expect(plant(text)).toBeNull()
})

test('a test that is called as the goal is doubled in what the goal does', () => {
  const text = 'test: test.c a.o\n\t$(CC) -o test test.c a.o && ./test\n'
  const sister = '\t$(CC) -o test_c0 test_c0.c a.o && ./test_c0\n'
  const doubled = text.replace('test: test.c', 'test test_c0: test.c test_c0.c')
  expect(plant(text, 'test.c')).toBe(doubled + sister)
})

test.each([
  ['test_all: test/tests.c a.h\n\t$(CC) $< -o $@\n', true],
  ['test: tests.c\n\t$(CC) $^ && ./a.out\n', true],
  ['build/tests: test/tests.c\n\t$(CC) $< -o $@\n', false],
  ['test: build/tests\n\t./build/tests\n', false],
  ['test_all: other_tests.c tests.cc\n\t$(CC) $< -o $@\n', false],
  ['SOURCES = test/tests.c\n', false],
])('a rule that makes something of another name from the test’s file: %j, %s', (text, expected) => {
  expect(isMadeByOtherName({ text, path: 'test/tests.c' })).toBe(expected)
})
