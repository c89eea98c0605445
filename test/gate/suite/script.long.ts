import { cheats, honestChanges, real } from './gate-world.ts'
import { honestScript } from './honest-script.ts'
import { testCheats } from './script-cheats.ts'
import { sourceCheats, stepCheats } from './script-source-cheats.ts'
import { tree } from './script-tree.ts'

cheats(tree, real, [...testCheats, ...sourceCheats, ...stepCheats])
// All rows run in memory, in script.test.ts; those with their own base cover most of the runner.
honestChanges(
  tree,
  real,
  honestScript.filter(({ base }) => base !== undefined),
)
