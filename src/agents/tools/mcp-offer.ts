import { mcpSchemaProblem } from './mcp-input.ts'
import { registry } from './registry.ts'

/** What decides which tools of the user's MCP servers can be offered beside Drydock's own. */
export const mcpOffer = {
  taken: registry.map(({ name }) => name),
  schemaProblem: mcpSchemaProblem,
}
