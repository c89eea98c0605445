import { cheats, honestChanges, real } from './gate-world.ts'
import { tree } from './script-tree.ts'
import { untested } from './untested-others.ts'
import { heldScript, untestedScript } from './untested-script.ts'

for (const { tree, cheats: rows, held } of untested) {
  cheats(tree, real, rows)
  honestChanges(tree, real, held)
}

// All rows run in memory, in untested.test.ts.
cheats(tree, real, untestedScript.slice(0, 4))
honestChanges(tree, real, heldScript.slice(-3))
