import { fuzz } from './run-target.ts'
import { gateway } from './targets/gateway.ts'

fuzz(gateway)
