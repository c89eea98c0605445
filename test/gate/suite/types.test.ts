import { cheats, honestChanges, memory } from './gate-world.ts'
import { honestTypes, typesCheats } from './types-table.ts'
import { typesTree } from './types-tree.ts'

const tree = { ...typesTree, asked: {}, steps: [{ command: 'node --test --test-reporter=spec' }] }
cheats(tree, memory, typesCheats)
honestChanges(tree, memory, honestTypes)
