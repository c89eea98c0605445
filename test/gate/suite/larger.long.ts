import { cheats, type GateCase, honestChanges, memory, real, type Tree } from './gate-world.ts'
import { honestScript } from './honest-script.ts'
import { honestFiles } from './honest-script-files.ts'
import { honestTests, tree as testsTree, weakenedTests } from './honest-tests.ts'
import { pytestCheats, unittestCheats } from './python-cheats.ts'
import { tree as pythonTree, withPytest } from './python-tree.ts'
import { rolesCheats, rolesHonest, tree as rolesTree } from './roles-script.ts'
import { testCheats } from './script-cheats.ts'
import { sourceCheats } from './script-source-cheats.ts'
import { tree as scriptTree } from './script-tree.ts'
import { honestTypes, typesCheats } from './types-table.ts'
import { typesTree } from './types-tree.ts'
import { heldScript, untestedScript } from './untested-script.ts'

/**
 * The tables of cheats and honest changes on trees with eight more test files, with two lanes and
 * narrowed trees: the verdicts and findings are the same.
 */
const lanes = { narrowFromMs: 0, atOnce: 2, assurance: 'full' } as const

const inLanes = (rows: readonly GateCase[]): readonly GateCase[] =>
  rows.map((row) => ({ ...row, asked: { ...row.asked, ...lanes } }))

const eight = [...Array(8).keys()]

function larger(tree: Tree): Tree {
  const files = eight.map((number): readonly [string, string][] => [
    [`src/further/part-${number}.js`, `export const part = () => ${number}\n`],
    [
      `test/further/part-${number}.test.js`,
      `import assert from 'node:assert'
import test from 'node:test'
import { part } from '../../src/further/part-${number}.js'

test('part ${number}', () => assert.equal(part(), ${number}))
`,
    ],
  ])
  return { ...tree, files: { ...tree.files, ...Object.fromEntries(files.flat()) } }
}

function largerPython(tree: Tree): Tree {
  const files = eight.map((number): readonly [string, string][] => [
    [`app/part_${number}.py`, `def part():\n    return ${number}\n`],
    [
      `tests/test_part_${number}.py`,
      `import unittest

from app import part_${number}


class Part${number}(unittest.TestCase):
    def test_part_${number}(self):
        self.assertEqual(part_${number}.part(), ${number})
`,
    ],
  ])
  return { ...tree, files: { ...tree.files, ...Object.fromEntries(files.flat()) } }
}

cheats(larger(scriptTree), memory, inLanes([...testCheats, ...sourceCheats]))
honestChanges(larger(scriptTree), memory, inLanes([...honestScript, ...honestFiles]))
cheats(larger(rolesTree), memory, inLanes(rolesCheats))
honestChanges(larger(rolesTree), memory, inLanes(rolesHonest))
cheats(larger(scriptTree), memory, inLanes(untestedScript))
honestChanges(larger(scriptTree), memory, inLanes(heldScript))
cheats(larger(testsTree), memory, inLanes(weakenedTests))
honestChanges(larger(testsTree), memory, inLanes(honestTests))
const steps = [{ command: 'node --test --test-reporter=spec' }]
cheats(larger({ ...typesTree, asked: {}, steps }), memory, inLanes(typesCheats))
honestChanges(larger({ ...typesTree, asked: {}, steps }), memory, inLanes(honestTypes))
cheats(largerPython(pythonTree), real, inLanes(unittestCheats))
cheats(largerPython(withPytest), real, inLanes(pytestCheats))
