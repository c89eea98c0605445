import { goTree, rustTree } from './compiled-trees.ts'
import { cheats, honestChanges, real } from './gate-world.ts'
import { tree as pythonTree, withPytest } from './python-tree.ts'
import { goSpoiled, pytestSpoiled, rustSpoiled, type SpoiledCases, unittestSpoiled } from './spoiled-cheats.ts'

const ids = (name: string) => [`tests.test_stats.Stats > ${name}`]
/** A few rows, for a runner that names only failures. */
const few = ({ cheats: bad, honest }: SpoiledCases): SpoiledCases => ({
  cheats: bad.slice(0, 2),
  honest: honest.slice(0, 2),
})
const plain = { ...pythonTree, steps: [{ command: 'python3 -m unittest discover -s tests -t .' }] }

for (const [tree, { cheats: bad, honest }] of [
  [pythonTree, unittestSpoiled(ids)],
  [plain, few(unittestSpoiled(ids))],
  [withPytest, pytestSpoiled],
  [goTree, goSpoiled],
  [rustTree, rustSpoiled],
] as const) {
  cheats(tree, real, bad)
  honestChanges(tree, real, honest)
}
