import { expect, test } from 'vitest'
import { addsOnlyAssertions, declaresOwnTests } from '../../../src/domain/gate/own-tests.ts'

test.each([
  ['shunit2_general_test.sh', 'testAdds() {\n  assertEquals 3 "$(./add 1 2)"\n}\n. ./shunit2\n', true],
  ['test/add.bats', '@test "adds" {\n  [ "$(./add 1 2)" = 3 ]\n}\n', true],
  [
    'tests/run.py',
    'def test_adds():\n    if add(1, 2) != 3:\n        raise SystemExit(1)\n\n\nfor each in find(): each()\n',
    true,
  ],
  ['tests/unit.test.js', "test('adds', () => {\n  if (add(1, 2) !== 3) throw new Error()\n})\n", true],
  ['test.sh', 'set -e\n[ -d node_modules ]\nnode --test\n', false],
  ['scripts/test.sh', 'test_unit() {\n  [ -d out ] || make\n  node --test\n}\ntest_unit\n', false],
  ['scripts/test.sh', 'test_unit() {\n  [ -d out ] && node --test\n}\n"test_$1"\n', false],
  ['scripts/test.sh', 'test_unit() {\n  [ -d out ]\n  node --test\n}\n"$@"\n', false],
  ['scripts/test.sh', 'test_unit() {\n  node --test\n}\n', false],
  ['test.py', 'def test():\n    subprocess.run(["pytest"])\n', false],
  ['tests/run.py', 'def test_all():\n    subprocess.run(["pytest"])\n\n\ntest_all()\n', false],
  ['src/add.sh', 'testAdds() {\n  assertEquals 3 3\n}\n', false],
])('%s declares tests of its own: %#', (path, text, isOwn) => {
  expect(declaresOwnTests(text, path)).toBe(isOwn)
})

const plain = `fails=0
check() {
  [ "$1" = "$2" ] || fails=$((fails + 1))
}
out=$(./add 1 1)
[ "$out" = 2 ] || exit 1
check 3 "$(./add 1 2)"
exit $fails
`
const with_ = (line: string) => plain.replace('exit $fails', `${line}\nexit $fails`)

test.each([
  ['an assertion', '# more\nout=$(./add 2 2)\n[ "$out" = 4 ] || exit 1'],
  ['one with its own end', '[ "$(./add 2 2)" = 4 ] || { echo "no"; exit 3; }'],
  ['a call of its own check', 'check 5 "$(./add 2 3)"'],
  ['one that counts', '[ "$(./add 2 2)" = 4 ] || fails=$((fails + 1))'],
  ['one behind a pipe', './add 2 2 | grep -qx 4 || exit 1'],
  ['a condition of its own', 'if [ "$(./add 2 2)" != 4 ]; then\n  echo "not 4; sorry"\n  exit 1\nfi'],
  ['the same in a line', 'if ! test "$(./add 2 2)" = 4; then echo no; exit 1; fi'],
])('%s may be added to a script that asserts', (_what, line) => {
  expect(addsOnlyAssertions(plain, with_(line), 'tests/add_test.sh')).toBe(true)
})

test.each([
  ['an end', 'exit 0'],
  ['an end under a condition', '[ "$fails" = 0 ] || exit'],
  ['a count that begins anew', 'fails=0'],
  ['a function in place of a known one', 'check() { :; }'],
  ['a setting', 'set +e'],
  ['a text that takes what follows', ": <<'END'"],
  ['a condition around what follows', 'if false; then'],
  ['another command', 'rm -rf tests'],
  ['a count that begins anew behind an assertion', '[ 1 = 1 ] && fails=0'],
  ['a function behind one', '[ 1 = 1 ] && check() { :; }'],
  ['a text that is left open', 'more="'],
  ['a folder that is left open', '[ "$(./add 2 2)" = "$('],
  ['a loop around nothing', 'while false; do [ 1 = 2 ]; done'],
  ['another script', '. ./other.sh'],
])('%s may not', (_what, line) => {
  expect(addsOnlyAssertions(plain, with_(line), 'tests/add_test.sh')).toBe(false)
})

test('a removed or moved line is not an addition, and a runner has no assertions to add to', () => {
  expect(addsOnlyAssertions(plain, plain.replace('out=$(./add 1 1)\n', ''), 'tests/add_test.sh')).toBe(false)
  const [first = '', ...rest] = plain.split('\n')
  expect(addsOnlyAssertions(plain, [...rest, first].join('\n'), 'tests/add_test.sh')).toBe(false)
  expect(addsOnlyAssertions('node --test\n', 'node --test\n[ -d out ]\n', 'test.sh')).toBe(false)
})
