import { cheats, honestChanges, real } from './gate-world.ts'
import { c, golang, python, rust } from './roles-others.ts'

for (const { tree, cheats: rows, honest } of [python, golang, rust, c]) {
  cheats(tree, real, rows)
  honestChanges(tree, real, honest)
}
