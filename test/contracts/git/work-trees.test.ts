import { describe } from 'vitest'
import { gits } from './gits.ts'
import { workTreesContract } from './work-trees-contract.ts'

describe.each(gits)('work trees of $name', workTreesContract)
