import type { TurnDependencies } from '../lane/dependencies.ts'
import type { StartDependencies } from '../run/dependencies.ts'
import type { WorkspaceDependencies } from '../story/dependencies.ts'

/** The parts that run the user's MCP servers for lanes. */
export interface LaneServersDependencies
  extends WorkspaceDependencies,
    Pick<StartDependencies, 'mcpServers'>,
    Pick<TurnDependencies, 'redact'> {}
