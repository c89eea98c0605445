import { expect, test } from 'vitest'
import { countSkipsOf, declaredTests } from '../../../src/domain/gate/declared-tests.ts'

const names = (path: string, text: string) => declaredTests(text, path).map(({ name }) => name)

test.each([
  ['a.test.js', "test('adds', () => {\n  check('other')\n})\nit(`rounds`, f)\n", ['adds', 'rounds']],
  ['hooks.js', "test.beforeEach(f)\ntest.before.each(f)\ntest.run()\ntest.extend({})\ntest.only('one', f)\n", ['one']],
  ['test_a.py', 'def test_adds():\n    assert True\n', ['def test_adds']],
  ['a_test.go', 'func TestAdds(t *testing.T) {\n}\n', ['func TestAdds']],
])('the tests of %s are known by their own lines', (path, text, expected) => {
  expect(names(path, text)).toEqual(expected)
})

test('each skip of a test that was there before counts, and so do more of them than are looked at one by one', () => {
  const skip = "test.skip('adds', f)\n"
  expect(countSkipsOf(new Set(), skip, 'a.test.js')).toBe(0)
  const [known = ''] = names('a.test.js', "test('adds', f)\n")
  expect(countSkipsOf(new Set([known]), skip, 'a.test.js')).toBe(1)
  expect(countSkipsOf(new Set(), skip.repeat(501), 'a.test.js')).toBe(501)
})
