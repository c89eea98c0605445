import type { UserConfig } from './schema.ts'

/** What is configured for an agent. */
export function agentSettings({ agents }: Pick<UserConfig, 'agents'>, name: string) {
  const found = Object.hasOwn(agents, name) ? agents[name] : undefined
  if (found === undefined) throw new Error(`no agent ${name}`)
  const { command, provider = null, env, read_only_paths: readOnlyPaths } = found
  return { command, model: null, provider, env, readOnlyPaths, credentials: [], authentication: null }
}
