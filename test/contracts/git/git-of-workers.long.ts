import { describe } from 'vitest'
import { gitOfWorker } from './gits.ts'
import { historyContract } from './history-contract.ts'
import { treeWithContract } from './tree-with-contract.ts'
import { workTreesContract } from './work-trees-contract.ts'

// The same contracts as on one machine; git-alike.test.ts has the worker's main way at every commit.
describe.each([gitOfWorker])('$name', (git) => {
  historyContract(git)
  treeWithContract(git)
  workTreesContract(git)
})
