import { fuzz } from './run-target.ts'
import { mcpDefinitions } from './targets/mcp-definitions.ts'

fuzz(mcpDefinitions)
