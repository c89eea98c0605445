import { cCheats, goCheats, rustCheats } from './compiled-cheats.ts'
import { cTree, goTree, rustTree } from './compiled-trees.ts'
import { cheats, type GateCase, isOfText, real } from './gate-world.ts'
import { pytestCheats, unittestCheats } from './python-cheats.ts'
import { tree as pythonTree, withPytest } from './python-tree.ts'

/** Findings on the text alone are tested without a runner, in `languages.test.ts`. */
const byRunning = (cases: readonly GateCase[]) => cases.filter((row) => !isOfText(row))

cheats(pythonTree, real, byRunning(unittestCheats))
cheats(withPytest, real, byRunning(pytestCheats))
cheats(goTree, real, byRunning(goCheats))
cheats(rustTree, real, byRunning(rustCheats))
cheats(cTree, real, byRunning(cCheats))
