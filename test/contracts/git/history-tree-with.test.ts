import { describe } from 'vitest'
import { gits } from './gits.ts'
import { treeWithContract } from './tree-with-contract.ts'

describe.each(gits)('a tree with files of another commit, by $name', treeWithContract)
