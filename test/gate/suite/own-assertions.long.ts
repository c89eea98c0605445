import { cheats, honestChanges, real } from './gate-world.ts'
import { shell, shellCheats, shellHonest, silentC, silentCheats, silentHonest } from './own-assertions.ts'

cheats(silentC, real, silentCheats)
honestChanges(silentC, real, silentHonest)
cheats(shell, real, shellCheats)
honestChanges(shell, real, shellHonest)
