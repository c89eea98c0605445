import { cheats, honestChanges, memory } from './gate-world.ts'
import { honestScript } from './honest-script.ts'
import { honestFiles } from './honest-script-files.ts'
import { testCheats } from './script-cheats.ts'
import { containingCheats, sourceCheats } from './script-source-cheats.ts'
import { tree } from './script-tree.ts'

cheats(tree, memory, [...testCheats, ...sourceCheats, ...containingCheats])
honestChanges(tree, memory, [...honestScript, ...honestFiles])
