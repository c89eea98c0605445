import { languages } from './exchanged-expectations.ts'
import { cheats, honestChanges, memory, printing } from './gate-world.ts'
import { honestTests, tree, weakenedTests } from './honest-tests.ts'

honestChanges(tree, memory, honestTests)
cheats(
  tree,
  memory,
  weakenedTests.map((row) => ({ ...row, asked: { ...row.asked, assurance: 'standard' } })),
)

// These findings need only the text of the change.
for (const { tree: own, output, cheats: exchanged, honest } of languages) {
  cheats(own, printing('tests', output), exchanged)
  honestChanges(
    own,
    printing('tests', output),
    honest.map((row) => ({ ...row, asked: { assurance: 'fast', refactor: true } })),
  )
}
