import { cheats, honestChanges, memory } from '../suite/gate-world.ts'
import { askingScript, hollowScript } from './hollow-script.ts'
import { tree } from '../suite/script-tree.ts'

cheats(tree, memory, hollowScript)
honestChanges(tree, memory, askingScript)
