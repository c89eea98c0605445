import { fuzz } from './run-target.ts'
import { toolArguments } from './targets/tool-arguments.ts'

fuzz(toolArguments)
