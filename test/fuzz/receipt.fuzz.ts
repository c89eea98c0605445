import { fuzz } from './run-target.ts'
import { receipt } from './targets/receipt.ts'

fuzz(receipt)
