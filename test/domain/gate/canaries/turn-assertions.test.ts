import { expect, test } from 'vitest'
import { cCanary } from '../../../../src/domain/gate/canaries/c-canary.ts'
import { drawnValues } from '../../../../src/domain/gate/canaries/drawn-values.ts'

/** The canary's program; the name of its switch is drawn. */
const plant = (body: string, path = 'test/a.c') => {
  const planted =
    cCanary({
      path,
      text: `#include "own.h"\n${body}\nint main(void) { return failed; }\n`,
      token: 'c0',
      values: drawnValues('c0'),
    }) ?? ''
  const name = /^static volatile int (\w+_turned);$/m.exec(planted)?.[1]
  return name === undefined ? planted : planted.replaceAll(name, 'is_turned')
}
const inTest = (line: string) => `static int test_a(void) {\n    ${line}\n    return 0;\n}`
const turned = (claim: string) => `(((${claim}) == 0) == (is_turned != 0))`

test.each([
  ['check(parse("{}", 1, 2));', turned('parse("{}", 1, 2)')],
  ['t(area(2) == 4);', turned('area(2) == 4')],
  ['mu_assert("squares", area(2) <= 4);', turned(' area(2) <= 4')],
  ['EXPECT(!is_empty(list), "list");', turned('!is_empty(list)')],
  ['if (1) CHECK(area(2) != 0 && ready());', turned('area(2) != 0 && ready()')],
])('an assertion of a program’s own is turned round: %s', (line, expected) => {
  const planted = plant(inTest(line))
  expect(planted).toContain(expected)
  expect(planted).toMatch(/^static volatile int is_turned;\n/)
  expect(planted).toContain('is_turned = 1;')
})

test('in C++ as a truth, whatever type it has', () => {
  expect(plant(inTest('check(find("a"));'), 'test/a.cpp')).toContain(
    '(static_cast<bool>(find("a")) != (is_turned != 0))',
  )
})

test.each([
  ['a macro', '#define check(what) do { \\\n    expect((what) != 0); \\\n} while (0)'],
  ['a declaration', 'int\ncheck(int what);'],
  ['a function that is handed on', inTest('check_with(setup_a);')],
  ['a condition', inTest('if (area(2) == 4) return 1;')],
  ['what is asserted while it is compiled', inTest('_Static_assert(sizeof(int) == 4, "int");')],
  ['a pointer to a member', inTest('free_list(list->first);')],
  ['a text', inTest('require("a == b");')],
])('nothing is changed in %s', (_what, body) => {
  const planted = plant(body)
  expect(planted).toContain(body)
  expect(planted).not.toContain('is_turned')
})

test.each([
  ['printf("\\nPASSED: %d\\n", passed);', true],
  ['printf("%d tests failed\\n", failed);', true],
  ['printf("compass: %d\\n", degrees);', false],
])('a program that prints its own totals says in TAP how the canary ends: %s', (line, expected) => {
  expect(plant(inTest(line)).includes('1 - c0 must fail')).toBe(expected)
})

test('the words of an assertion, which a macro may print, do not have the name of the canary', () => {
  const planted = cCanary({
    path: 'test/a.c',
    text: 'int main(void) {\n    CHECK(area(2) == 4);\n    return failed;\n}\n',
    token: 'canary7',
    values: drawnValues('canary7'),
  })
  expect(planted).toMatch(/CHECK\(.*_turned != 0\)\)\);/)
  expect(planted).not.toMatch(/CHECK\(.*canary7/)
})
