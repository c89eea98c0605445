import { fuzz } from './run-target.ts'
import { config } from './targets/config.ts'

fuzz(config)
