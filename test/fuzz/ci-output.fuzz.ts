import { fuzz } from './run-target.ts'
import { ciOutput } from './targets/ci-output.ts'

fuzz(ciOutput)
