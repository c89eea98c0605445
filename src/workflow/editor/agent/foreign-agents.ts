import type { AgentHomes } from '../../../ports/agent-homes.ts'
import type { AgentToolServers } from '../../../ports/agent-tools.ts'
import type { AgentStart, CodingAgents } from '../../../ports/coding-agent.ts'
import type { ModelGateways } from '../../../ports/model-gateway.ts'

/** The parts that run a foreign agent as the editor of a story. */
export interface ForeignAgents {
  readonly agents: CodingAgents
  readonly tools: AgentToolServers
  readonly gateways: ModelGateways
  readonly homes: AgentHomes
  /** Settings of an agent by its name; throws DrydockError if none has that name. */
  readonly settings: (name: string) => Promise<AgentSettings>
}

export interface AgentSettings
  extends Pick<AgentStart, 'command' | 'model' | 'files' | 'credentials' | 'authentication'> {
  /**
   * The gateway's target: a hosted provider, a local one, or an entry of `providers`. Null for an
   * agent with its own login, which has no gateway.
   */
  readonly provider: string | null
  readonly env: Readonly<Record<string, string>>
  /** Paths that the agent may read, in addition to those of every sandbox. */
  readonly readOnlyPaths: readonly string[]
}
