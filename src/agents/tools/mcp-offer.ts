import { mcpSchemaProblem } from './mcp-input.ts'
import { registry } from './registry.ts'

/**
 * Facts that decide which tools of the user's MCP servers can be offered in addition to Drydock's
 * own.
 */
export const mcpOffer = {
  taken: registry.map(({ name }) => name),
  schemaProblem: mcpSchemaProblem,
}
