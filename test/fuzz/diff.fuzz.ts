import { fuzz } from './run-target.ts'
import { diff } from './targets/diff.ts'

fuzz(diff)
