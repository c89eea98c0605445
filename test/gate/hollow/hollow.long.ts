import { cheats, honestChanges, real } from '../suite/gate-world.ts'
import { tree as python } from '../suite/python-tree.ts'
import { tree } from '../suite/script-tree.ts'
import { typesTree } from '../suite/types-tree.ts'
import { askingPython, askingTypes, hollowPython, hollowTypes } from './hollow-others.ts'
import { askingScript, hollowScript } from './hollow-script.ts'

cheats(python, real, hollowPython)
honestChanges(python, real, askingPython)
cheats(typesTree, real, hollowTypes)
honestChanges(typesTree, real, askingTypes)
// All rows run in memory, in hollow.test.ts.
cheats(tree, real, hollowScript.slice(0, 3))
honestChanges(tree, real, askingScript.slice(-3))
