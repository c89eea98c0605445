import { fuzz } from './run-target.ts'
import { api } from './targets/api.ts'

fuzz(api)
