import type { Installation } from '../../../app/installation.ts'
import type { Check } from './check.ts'

/** Checks whether agents may use the user's MCP servers, without starting them. */
export async function checkMcp({ mcpServers }: Pick<Installation, 'mcpServers'>): Promise<readonly Check[]> {
  const servers = await mcpServers()
  if (servers === null) return []
  return Promise.all(
    servers.settings.map(async ({ name, roles }): Promise<Check> => {
      const approval = await servers.approval(name)
      const check = { name: 'mcp', ok: true, exit: 0 }
      if (approval === null || approval.problem !== null) {
        const found = `${name}: ${approval?.problem ?? 'its tools are not approved'}`
        return { ...check, found, fix: `drydock mcp-servers approve ${name}`, consequence: 'No agent has its tools.' }
      }
      const who = roles.length === 0 ? `nobody: name roles in mcp.${name}.roles` : roles.join(', ')
      return { ...check, found: `${name}: ${approval.offered.tools.length} tools for ${who}` }
    }),
  )
}
