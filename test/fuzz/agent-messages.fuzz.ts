import { fuzz } from './run-target.ts'
import { agentMessages } from './targets/agent-messages.ts'

fuzz(agentMessages)
