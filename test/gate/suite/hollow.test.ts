import { cheats, honestChanges, memory } from './gate-world.ts'
import { askingScript, hollowScript } from './hollow-script.ts'
import { tree } from './script-tree.ts'

cheats(tree, memory, hollowScript)
honestChanges(tree, memory, askingScript)
