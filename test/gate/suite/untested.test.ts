import { cheats, honestChanges, memory } from './gate-world.ts'
import { tree } from './script-tree.ts'
import { heldScript, untestedScript } from './untested-script.ts'

cheats(tree, memory, untestedScript)
honestChanges(tree, memory, heldScript)
