import { cheats, honestChanges, memory } from './gate-world.ts'
import { rolesCheats, rolesHonest, tree } from './roles-script.ts'

cheats(tree, memory, rolesCheats)
honestChanges(tree, memory, rolesHonest)
