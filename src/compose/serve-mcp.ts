import type { Drydock } from '../app/drydock.ts'
import { actsOf } from '../app/operations/acts-of.ts'
import type { McpServing } from '../server/mcp/serve-mcp.ts'

/** Serves the state to an MCP client, alongside its owner, until the input ends. */
export async function serveMcp(drydock: Drydock, serving: McpServing): Promise<void> {
  const { serveState } = await import('../server/mcp/serve-state.ts')
  const acts = await actsOf(drydock)
  await serveState(drydock, { ...serving, artifacts: drydock.openArtifacts(), acts })
}
