import { describe } from 'vitest'
import { gitOfWorker } from './gits.ts'
import { historyContract } from './history-contract.ts'
import { treeWithContract } from './tree-with-contract.ts'
import { workTreesContract } from './work-trees-contract.ts'

// Runs the single-machine contracts for workers; git-alike.test.ts covers the worker's main path at
// every commit.
describe.each([gitOfWorker])('$name', (git) => {
  historyContract(git)
  treeWithContract(git)
  workTreesContract(git)
})
