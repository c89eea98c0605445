import { fuzz } from './run-target.ts'
import { pushCommands } from './targets/push-commands.ts'

fuzz(pushCommands)
