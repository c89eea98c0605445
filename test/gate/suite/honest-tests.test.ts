import { cheats, honestChanges, memory } from './gate-world.ts'
import { honestTests, tree, weakenedTests } from './honest-tests.ts'

honestChanges(tree, memory, honestTests)
cheats(
  tree,
  memory,
  weakenedTests.map((row) => ({ ...row, asked: { assurance: 'standard' } })),
)
