import { join } from 'node:path'
import { DrydockError } from '../domain/drydock-error.ts'
import type { McpServerSettings } from '../domain/mcp/server-settings.ts'
import { type EnvironmentVariables, readEnvironment } from './environment.ts'
import type { LoadedUserConfig } from './load.ts'

/** The settings with which the user's MCP servers are started or reached. */
export function mcpSettings(user: LoadedUserConfig, env: EnvironmentVariables): readonly McpServerSettings[] {
  const { home } = readEnvironment(env)
  const fromHome = (path: string) => (path.startsWith('~/') ? join(home, path.slice(2)) : path)
  return Object.entries(user.mcp).map(([name, entry]) => {
    const { command, url, headers = {}, roles, tools, mount, hosts, read_only_paths: paths, timeout_sec } = entry
    return {
      name,
      roles,
      hosts,
      tools: tools ?? null,
      timeoutMs: timeout_sec * 1_000,
      isShown: mount === 'read',
      command: command === undefined ? null : [fromHome(command[0]), ...command.slice(1)],
      url: url ?? null,
      readOnlyPaths: paths.map(fromHome),
      values: () => ({
        env: valuesOf(`mcp.${name}.env`, entry.env, { user, env }),
        headers: valuesOf(`mcp.${name}.headers`, headers, { user, env }),
      }),
    }
  })
}

interface Sources {
  readonly user: LoadedUserConfig
  readonly env: EnvironmentVariables
}

function valuesOf(
  place: string,
  given: Readonly<Record<string, string | { readonly env: string }>>,
  { user, env }: Sources,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      if (typeof value === 'string') return [key, value]
      const text = env[value.env]
      if (text) return [key, text]
      throw new DrydockError('mcp_failed', `${user.file}: ${place} names ${value.env}, which has no value.`, {
        todo: `Set ${value.env} in the environment that Drydock starts in.`,
      })
    }),
  )
}
