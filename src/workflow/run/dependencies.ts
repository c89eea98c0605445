import type { RunConfig } from '../../domain/run/run-config.ts'
import type { McpServers } from '../../ports/mcp-servers.ts'
import type { Prices } from '../../ports/prices.ts'
import type { CommitDependencies } from '../merge/dependencies.ts'
import type { StepDependencies } from '../step-dependencies.ts'
import type { StoryDependencies } from '../story/dependencies.ts'

/** The files from which a Run's configuration is read. */
export interface ConfigRequest {
  /** `.drydock/config.json` of the base commit; null if it does not exist. */
  readonly repositoryText: string | null
  /** Another file of that commit. */
  readonly textAt: (path: string) => Promise<string | null>
  readonly configFile: string | null
  /** False for a Run that verifies nothing. */
  readonly stepsRequired: boolean
}

/** The parts that pin a Run at its start: its base, its configuration, its models' prices. */
export interface StartDependencies
  extends StepDependencies,
    Pick<CommitDependencies, 'userRepository'>,
    Pick<StoryDependencies, 'guides'> {
  readonly readConfig: (request: ConfigRequest) => Promise<RunConfig>
  /** The user's MCP servers; null if there are none. */
  readonly mcpServers: () => Promise<McpServers | null>
  readonly prices: Prices
}
