import { expect, test } from 'vitest'
import { movedTests } from '../../../src/domain/gate/kept/moved-tests.ts'
import { type ReadFile, readStatements } from '../../../src/domain/gate/kept/statements.ts'

const read = (text: string, path: string) => [readStatements(path, text) as ReadFile]

const python = `import unittest
from app import mean

EXAMPLES = [([4, 6], 5)]
ALL = EXAMPLES + []


class Stats(unittest.TestCase):
    def setUp(self):
        self.close = 0

    def test_examples(self):
        for values, wanted in ALL:
            self.assertEqual(mean(values), wanted)

    def test_even(self):
        self.assertTrue(mean([2, 2]))
`
const script = `import assert from 'node:assert'
const rows = [[1, 1]]
describe('means', () => {
  test('rows', () => { for (const [n, is] of rows) assert.equal(mean(n), is) })
})
`

test.each<readonly [string, string, string, string, readonly string[]]>([
  ['a class with another name', 'a.py', 'class Stats', 'class OfStats', ['test_examples', 'test_even']],
  ['a suite with another name', 'a.js', "'means'", "'of means'", ['rows']],
  ['other imports', 'a.py', 'import mean', 'import mean, median', ['test_examples', 'test_even']],
  ['a changed test beside it', 'a.py', 'assertTrue(mean', 'assertIsNotNone(mean', ['test_examples']],
  ['other imports', 'a.js', 'import assert', "import util, { inspect } from 'node:util'\nimport assert", ['rows']],
  ['the same name from another module', 'a.py', 'from app import', 'from easy import', []],
  ['the same name from another module', 'a.js', "'node:assert'", "'./assert.js'", []],
  ['a module that is loaded for what it does', 'a.js', 'const rows', "import './quiet.js'\nconst rows", []],
  ['a changed set-up', 'a.py', 'self.close = 0', 'self.skipTest("")', []],
  ['another base class', 'a.py', 'unittest.TestCase', 'Quiet', []],
  ['an emptied table, used through another', 'a.py', '[([4, 6], 5)]', '[]', []],
  ['an emptied table', 'a.js', '[[1, 1]]', '[]', []],
  ['a suite that is skipped', 'a.js', 'describe(', 'describe.skip(', []],
  ['code at the top that replaces things', 'a.js', 'const rows', 'assert.equal = () => {}\nconst rows', []],
])('tests that are the same in the same surroundings: %s', (_what, path, ...[was, is, moved]) => {
  const text = path.endsWith('.py') ? python : script
  expect(text).toContain(was)
  expect([...movedTests(read(text, path), read(text.replace(was, is), path))]).toEqual(moved)
})
