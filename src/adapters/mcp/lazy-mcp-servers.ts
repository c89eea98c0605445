import type { McpServerSettings } from '../../domain/mcp/server-settings.ts'
import type { McpServers } from '../../ports/mcp-servers.ts'
import type { McpServersOptions } from './create-mcp-servers.ts'

/** Loads the code at the first call, and none if no server is configured. */
export function lazyMcpServers(
  settings: readonly McpServerSettings[],
  options: () => Promise<Omit<McpServersOptions, 'settings'>>,
): () => Promise<McpServers | null> {
  let made: Promise<McpServers> | null = null
  return async () => {
    if (settings.length === 0) return null
    made ??= (async () => {
      const { createMcpServers } = await import('./create-mcp-servers.ts')
      return createMcpServers({ ...(await options()), settings })
    })()
    return made
  }
}
