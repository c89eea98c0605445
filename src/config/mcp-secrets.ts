import type { EnvironmentVariables } from './environment.ts'
import type { LoadedUserConfig } from './load.ts'

/** The values of variables and headers that MCP servers get, which nobody else may see. */
export function mcpSecrets(servers: LoadedUserConfig['mcp'], env: EnvironmentVariables): readonly string[] {
  return Object.values(servers).flatMap(({ env: variables, headers = {} }) => {
    const values = [...Object.values(variables), ...Object.values(headers)]
    return values.flatMap((value) => {
      const text = typeof value === 'string' ? value : (env[value.env] ?? '')
      // A scheme such as Bearer is no secret, and the rest of the value is one by itself.
      const [, rest] = /^[A-Za-z]+ +(\S.*)$/.exec(text) ?? []
      return rest === undefined ? [text.trim()] : [text, rest.trim()]
    })
  })
}
