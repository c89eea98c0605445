import { fuzz } from './run-target.ts'
import { gateRules } from './targets/gate-rules.ts'

fuzz(gateRules)
