import { cheats, honestChanges, memory } from '../suite/gate-world.ts'
import { tree } from '../suite/script-tree.ts'
import { askingScript, hollowScript } from './hollow-script.ts'

cheats(tree, memory, hollowScript)
honestChanges(tree, memory, askingScript)
